"""Who may ask for the health check, and which configurations make sense."""

from __future__ import annotations

from typing import Any

import pytest

from heat_app.config import HealthcheckSettings
from heat_app.web.health_backends import HealthCheck


def made(**options: Any) -> HealthCheck:
    return HealthCheck.from_settings(HealthcheckSettings(**options))


@pytest.mark.parametrize(
    ("address", "may"),
    [
        ("10.1.2.3", True),
        ("11.1.2.3", False),
        ("fd00::1", True),
        ("fe80::1%eth0", False),
        (None, False),
    ],
)
def test_sources(address: str | None, may: bool) -> None:
    check = made(allowed_source_ranges=("10.0.0.0/8", "fd00::/8"))
    assert check.is_for(address, {}.get) is may
    assert made().is_for(address, {}.get)


@pytest.mark.parametrize(
    ("headers", "may"),
    [
        ({}, True),
        ({"X-Forwarded-For": "10.0.0.1"}, False),
        ({"X-Forwarded": "x"}, False),
        ({"X-Forwarded-Host": ""}, True),
        ({"Forwarded": "x"}, True),
    ],
)
def test_proxied_requests(headers: dict[str, str], may: bool) -> None:
    assert made(ignore_proxied_requests=True).is_for("10.0.0.1", headers.get) is may
    assert made().is_for("10.0.0.1", headers.get)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"backends": ("disable_by_file", "other")}, "there is no other; heat-trio has disable_by"),
        ({"backends": ("enable_by_files", "disable_by_file")}, "exclude each other"),
        ({"allowed_source_ranges": ("10.0.0.1/8",)}, "has host bits set"),
        (
            {"backends": ("disable_by_files_ports",), "disable_by_file_paths": ("/x",)},
            "/x is not PORT:PATH",
        ),
    ],
)
def test_what_cannot_be_used(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made(**options)


def test_a_backend_without_a_file_finds_everything_well_and_that_is_said() -> None:
    check = made(backends=("disable_by_file", "disable_by_files_ports"))
    assert [result.available for result in check.results(8004)] == [True, True]
    assert check.complaints == (
        "[healthcheck] disable_by_file_path is not set: disable_by_file finds everything well",
        "[healthcheck] disable_by_file_paths is not set: disable_by_files_ports finds everything "
        "well",
    )
    assert made().complaints == ()
