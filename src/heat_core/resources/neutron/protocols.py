"""The protocols that rules of security groups may name."""

from __future__ import annotations

from collections.abc import Sequence

PROTOCOLS: Sequence[int | str] = (
    *range(256),
    *("ah", "dccp", "egp", "esp", "gre", "icmp", "icmpv6", "igmp"),
    *("ipv6-encap", "ipv6-frag", "ipv6-icmp", "ipv6-nonxt", "ipv6-opts", "ipv6-route"),
    *("ospf", "pgm", "rsvp", "sctp", "tcp", "udp", "udplite", "vrrp"),
)
"""numbers, and the names that the network service knows"""
