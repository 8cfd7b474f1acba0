"""Algorithms and lifetimes that both kinds of VPN policies choose from."""

from __future__ import annotations

from heat_core.properties import (
    AllowedValues,
    Prop,
)

ENCRYPTION_ALGORITHM = Prop.string(
    "Algorithm that packets are encrypted with.",
    default="aes-128",
    update_allowed=True,
    constraints=[
        AllowedValues(
            [
                "3des",
                "aes-128",
                "aes-192",
                "aes-256",
                "aes-128-ccm-8",
                "aes-192-ccm-8",
                "aes-256-ccm-8",
                "aes-128-ccm-12",
                "aes-192-ccm-12",
                "aes-256-ccm-12",
                "aes-128-ccm-16",
                "aes-192-ccm-16",
                "aes-256-ccm-16",
                "aes-128-gcm-8",
                "aes-192-gcm-8",
                "aes-256-gcm-8",
                "aes-128-gcm-12",
                "aes-192-gcm-12",
                "aes-256-gcm-12",
                "aes-128-gcm-16",
                "aes-192-gcm-16",
                "aes-256-gcm-16",
                "aes-128-ctr",
                "aes-192-ctr",
                "aes-256-ctr",
            ]
        )
    ],
)

PFS = Prop.string(
    "Group for perfect forward secrecy.",
    default="group5",
    update_allowed=True,
    constraints=[
        AllowedValues(
            [
                "group2",
                "group5",
                "group14",
                "group15",
                "group16",
                "group17",
                "group18",
                "group19",
                "group20",
                "group21",
                "group22",
                "group23",
                "group24",
                "group25",
                "group26",
                "group27",
                "group28",
                "group29",
                "group30",
                "group31",
            ]
        )
    ],
)

AUTH_ALGORITHM = Prop.string(
    "Algorithm that proves who sent a packet.",
    default="sha1",
    update_allowed=True,
    constraints=[AllowedValues(["sha1", "sha256", "sha384", "sha512", "aes-xcbc", "aes-cmac"])],
)

LIFETIME = Prop.map(
    "How long an agreement holds.",
    update_allowed=True,
    schema={
        "units": Prop.string(
            "Unit of the value.",
            default="seconds",
            constraints=[AllowedValues(["seconds", "kilobytes"])],
        ),
        "value": Prop.integer("Length of the time.", default=3600),
    },
)
