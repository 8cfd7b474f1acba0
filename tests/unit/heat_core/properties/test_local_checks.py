from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from heat_core.properties import LOCAL_CONSTRAINTS, SERVICE_CONSTRAINTS, check_locally

VALID = [
    ("ip_addr", "10.0.0.1"),
    ("ip_addr", "::1"),
    ("ip_or_cidr", "10.0.0.5/8"),
    ("ip_or_cidr", "fe80::/10"),
    ("net_cidr", "0.0.0.0/0"),
    ("net_cidr", "fd00::/64"),
    ("mac_addr", "0011.2233.4455"),
    ("dns_name", "a.b.example."),
    ("dns_name", ""),
    ("dns_domain", "example.org."),
    ("dns_domain", ""),
    ("rel_dns_name", "a.b"),
    ("rel_dns_name", ""),
    ("cron_expression", "*/5 * * * *"),
    ("cron_expression", ""),
    ("timezone", "UTC"),
    ("timezone", ""),
    ("iso_8601", "2020-01-02"),
    ("iso_8601", "20200102T030405Z"),
    ("iso_8601", "2020-01-02T03:04:05+02:00"),
    ("iso_8601", "2020-01-02T03:04:05-0130"),
    ("json_string", "[1]"),
    ("json_string", ""),
    ("expiration", "2000-01-01T00:00:00Z"),
    ("expiration", ""),
    ("test_constr", 5),
    ("nova.flavor", "anything"),
]

INVALID = [
    ("ip_addr", "10.0.0", ": Invalid IP address"),
    ("ip_addr", " 10.0.0.1", ": Invalid IP address"),
    ("ip_addr", 5, ": Invalid IP address"),
    ("ip_or_cidr", "x", ": 'x' is not a valid IP address"),
    ("ip_or_cidr", "x/8", ": 'x/8' is not a valid IP subnet"),
    ("ip_or_cidr", 5, ": 5 is not a valid IP or CIDR"),
    (
        "ip_or_cidr",
        "010.0.0.1",
        ": '010.0.0.1' is not an accepted IP address, '10.0.0.1' is recommended",
    ),
    ("net_cidr", "10/8", ": '10/8' is not a valid IP subnet"),
    ("net_cidr", "10.0.0.0", ": '10.0.0.0' is not a valid IP subnet"),
    ("net_cidr", "x", ": Invalid net cidr invalid IPNetwork x "),
    ("mac_addr", "zz:11:22:33:44:55", ": Invalid MAC address."),
    (
        "dns_name",
        "a..b",
        ": 'a..b' not in valid format. Reason: Encountered an empty component.",
    ),
    (
        "dns_name",
        "-bad",
        ": '-bad' not in valid format. Reason: Name '-bad' must not start or end with a hyphen.",
    ),
    (
        "dns_name",
        "x.1.",
        ": 'x.1.' not in valid format. Reason: TLD '1' must not be all numeric.",
    ),
    (
        "rel_dns_name",
        "a.b.",
        ": 'a.b.' is a FQDN. It should be a relative domain name.",
    ),
    ("dns_domain", "example.org", ": 'example.org' must end with '.'."),
    ("iso_8601", "2020-13-01T00:00:00Z", ""),
    ("iso_8601", "x", ""),
    (
        "json_string",
        "[1,]",
        ": JSON string [1,] is invalid: Expecting value: line 1 column 4 (char 3)",
    ),
    ("expiration", "x", ": Expiration x is invalid: Unable to parse date string 'x'"),
    (
        "timezone",
        "Nowhere/Land",
        ": Invalid timezone: 'No time zone found with key Nowhere/Land'",
    ),
]


@pytest.mark.parametrize(("name", "value"), VALID)
def test_valid(name: str, value: Any) -> None:
    assert check_locally(name, value) is None


@pytest.mark.parametrize(("name", "value", "detail"), INVALID)
def test_invalid(name: str, value: Any, detail: str) -> None:
    assert check_locally(name, value) == f"Error validating value '{value}'{detail}"


@pytest.mark.parametrize(("length", "problem"), [(252, None), (253, "exceed"), (256, "exceed")])
def test_relative_names_leave_room_for_a_domain(length: int, problem: str | None) -> None:
    value = ".".join(["a" * 63] * 4)[: length - 4] + ".abc"
    text = check_locally("rel_dns_name", value)

    assert (text is None) == (problem is None)


def test_long_names() -> None:
    text = check_locally("dns_name", "a." * 128 + "a")
    assert text is not None
    assert "exceeds the 255 character FQDN limit" in text


def test_expiration_is_compared_with_the_time_given() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    assert check_locally("expiration", "2026-01-01T02:00:01+02:00", now=now) is None
    text = check_locally("expiration", "2026-01-01T02:00:00+02:00", now=now)
    assert text is not None
    assert text.endswith("Expiration time is out of date.")


def test_bad_cron_expression_says_why() -> None:
    text = check_locally("cron_expression", "60 * * * *")
    assert text == (
        "Error validating value '60 * * * *': Invalid CRON expression: "
        "[60 * * * *] is not acceptable, out of range"
    )


def test_every_constraint_of_heat_is_known(shared: Any) -> None:
    facts = json.loads((shared / "facts" / "constraints.json").read_text())["constraints"]
    by_service = {name for name, form in facts.items() if "client" in form}

    assert by_service == SERVICE_CONSTRAINTS
    assert set(facts) - by_service == LOCAL_CONSTRAINTS
