"""Custom constraints that need no service (facts/constraints.json, `local_check`).

Each check returns None for a valid value, or what is wrong with it: an empty text when there is
nothing to add to "Error validating value '<value>'".
"""

from __future__ import annotations

import json
import re
import zoneinfo
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from heat_core.documents import json_error_text

if TYPE_CHECKING:
    from types import ModuleType

_LABEL_MAX = 63
_FQDN_MAX = 255
_LABEL = re.compile(rf"[a-z0-9-]{{1,{_LABEL_MAX}}}$")
_ISO_TIME = re.compile(
    r"(?P<year>\d{4})(-?(?P<month>\d{1,2})(-?(?P<day>\d{1,2}))?)?"
    r"([ T](?P<hour>\d{2})(:?(?P<minute>\d{2})(:?(?P<second>\d{1,2})(\.\d+)?)?)?"
    r"(?P<zone>Z|[+-]\d{2}(:?\d{2})?)?)?$"
)


def _netaddr() -> ModuleType:
    # Imported on first use: it takes longer to load than most templates take to check.
    import netaddr

    return netaddr


def _address_problem(value: str) -> str | None:
    bad = f"'{value}' is not a valid IP address"
    if re.search(r"\s", value) or (":" not in value and value.count(".") != 3):
        return bad
    try:
        try:
            address = _netaddr().IPAddress(value, flags=_netaddr().ZEROFILL)
        except ValueError:
            address = _netaddr().IPAddress(value)
    except Exception:  # netaddr raises its own errors for every kind of bad text
        return bad
    if address.version == 4 and str(address) != value:
        return f"'{value}' is not an accepted IP address, '{address}' is recommended"
    return None


def _subnet_problem(value: str) -> str | None:
    bad = f"'{value}' is not a valid IP subnet"
    if re.search(r"\s", value) or "/" not in value:
        return bad
    try:
        network = _netaddr().IPNetwork(value)
    except Exception:  # netaddr raises its own errors for every kind of bad text
        return bad
    return bad if network.version == 4 and str(network) != value else None


def _ip_addr(value: Any) -> str | None:
    if not isinstance(value, str) or _address_problem(value) is not None:
        return "Invalid IP address"
    return None


def _ip_or_cidr(value: Any) -> str | None:
    if not isinstance(value, str):
        return f"{value} is not a valid IP or CIDR"
    return _subnet_problem(value) if "/" in value else _address_problem(value)


def _net_cidr(value: Any) -> str | None:
    try:
        _netaddr().IPNetwork(_netaddr().cidr_abbrev_to_verbose(value))
    except Exception as error:  # netaddr raises its own errors for every kind of bad text
        return f"Invalid net cidr {error} "
    return _subnet_problem(value)


def _mac_addr(value: Any) -> str | None:
    return None if _netaddr().valid_mac(value) else "Invalid MAC address."


def _dns_format_problem(value: str) -> str | None:
    trimmed = value.removesuffix(".")
    if len(trimmed) > _FQDN_MAX:
        return f"'{trimmed}' exceeds the {_FQDN_MAX} character FQDN limit"
    labels = trimmed.split(".")
    for label in labels:
        if not label:
            return "Encountered an empty component."
        if label.endswith("-") or label.startswith("-"):
            return f"Name '{label}' must not start or end with a hyphen."
        if not _LABEL.match(label):
            return (
                f"Name '{label}' must be 1-{_LABEL_MAX} characters long, "
                "each of which can only be alphanumeric or a hyphen."
            )
    if value.endswith(".") and len(labels) > 1 and re.match("^[0-9]+$", labels[-1]):
        return f"TLD '{labels[-1]}' must not be all numeric."
    return None


def _dns_name(value: Any) -> str | None:
    problem = _dns_format_problem(value) if value else None
    return None if problem is None else f"'{value}' not in valid format. Reason: {problem}"


def _rel_dns_name(value: Any) -> str | None:
    if not value:
        return None
    if value.endswith("."):
        return f"'{value}' is a FQDN. It should be a relative domain name."
    if len(value) > _FQDN_MAX - 3:
        return (
            f"'{value}' contains '{len(value)}' characters. Adding a domain name will cause it to "
            f"exceed the maximum length of a FQDN of '{_FQDN_MAX}'."
        )
    return _dns_name(value)


def _dns_domain(value: Any) -> str | None:
    if not value:
        return None
    return _dns_name(value) or (None if value.endswith(".") else f"'{value}' must end with '.'.")


def _cron_expression(value: Any) -> str | None:
    if not value:
        return None
    from croniter import croniter  # on first use, like netaddr

    try:
        # A fixed start: whether the expression is valid does not depend on today.
        croniter(value, datetime(2020, 1, 1, tzinfo=UTC))
    except Exception as error:  # croniter raises more than its own errors for bad text
        return f"Invalid CRON expression: {error}"
    return None


def _timezone(value: Any) -> str | None:
    if not value:
        return None
    try:
        zoneinfo.ZoneInfo(value)
    except Exception as error:  # the error's type depends on where the look-up failed
        return f"Invalid timezone: {error}"
    return None


def _parse_time(text: Any) -> datetime:
    """Read an ISO 8601 time, as widely as the iso8601 library does; ValueError for others."""
    found = _ISO_TIME.match(text) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"Unable to parse date string {text!r}")
    parts = {
        name: int(found[name] or default)
        for name, default in (
            ("year", 1),
            ("month", 1),
            ("day", 1),
            ("hour", 0),
            ("minute", 0),
            ("second", 0),
        )
    }
    zone = found["zone"]
    moment = datetime(**parts, tzinfo=UTC)
    if zone in (None, "Z"):
        return moment
    compact = zone if len(zone) > 3 else f"{zone}00"
    offset = datetime.strptime(compact.replace(":", ""), "%z").utcoffset()
    if offset is None:
        raise AssertionError(f"the time zone {zone!r} was read without an offset")
    return moment - offset


def _iso_8601(value: Any) -> str | None:
    try:
        _parse_time(value)
    except ValueError:
        return ""
    return None


def _json_string(value: Any) -> str | None:
    if not value:
        return None
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return f"JSON string {value} is invalid: {json_error_text(error)}"
    return None


def _expiration(value: Any, now: datetime | None) -> str | None:
    if not value:
        return None
    try:
        moment = _parse_time(value.strip())
        if now is not None and moment <= now:
            raise ValueError("Expiration time is out of date.")
    except (ValueError, AttributeError) as error:
        return f"Expiration {value} is invalid: {error}"
    return None


def _nothing(value: Any) -> str | None:
    """The test constraint only takes time, which a procedure spends, not a pure check."""
    return None


_CHECKS: Mapping[str, Callable[[Any], str | None]] = {
    "cron_expression": _cron_expression,
    "dns_domain": _dns_domain,
    "dns_name": _dns_name,
    "ip_addr": _ip_addr,
    "ip_or_cidr": _ip_or_cidr,
    "iso_8601": _iso_8601,
    "json_string": _json_string,
    "mac_addr": _mac_addr,
    "net_cidr": _net_cidr,
    "nova.network": _nothing,
    "rel_dns_name": _rel_dns_name,
    "test_constr": _nothing,
    "timezone": _timezone,
}

LOCAL_CONSTRAINTS = frozenset(_CHECKS) | {"expiration"}
"""names of the custom constraints that are decided here"""

_BY_SERVICE: Mapping[str, tuple[str, ...]] = {
    "barbican": (
        "container",
        "secret",
    ),
    "blazar": ("reservation",),
    "cinder": (
        "backup",
        "qos_specs",
        "snapshot",
        "volume",
        "vtype",
    ),
    "designate": ("zone",),
    "glance": ("image",),
    "ironic": (
        "node",
        "portgroup",
    ),
    "keystone": (
        "domain",
        "group",
        "project",
        "region",
        "role",
        "service",
        "user",
    ),
    "magnum": ("cluster_template",),
    "manila": (
        "share_network",
        "share_snapshot",
        "share_type",
    ),
    "mistral": ("workflow",),
    "neutron": (
        "address_scope",
        "flow_classifier",
        "lbaas.listener",
        "lbaas.loadbalancer",
        "lbaas.pool",
        "lbaas.provider",
        "network",
        "port",
        "port_pair",
        "port_pair_group",
        "qos_policy",
        "router",
        "security_group",
        "segment",
        "subnet",
        "subnetpool",
        "taas.tap_flow",
        "taas.tap_service",
    ),
    "nova": (
        "flavor",
        "host",
        "keypair",
        "server",
    ),
    "octavia": (
        "availabilityzone",
        "availabilityzoneprofile",
        "flavor",
        "flavorprofile",
        "l7policy",
        "listener",
        "loadbalancer",
        "pool",
    ),
    "trove": ("flavor",),
    "zaqar": ("queue",),
}

SERVICE_CONSTRAINTS = frozenset(
    f"{service}.{name}" for service, names in _BY_SERVICE.items() for name in names
)
"""names of the custom constraints that only a service can decide"""


def error_text(value: Any, problem: str | None) -> str:
    """The user's text for a value that a custom constraint refuses."""
    detail = f": {problem}" if problem else ""
    return f"Error validating value '{value}'{detail}"


def check_locally(name: str, value: Any, *, now: datetime | None = None) -> str | None:
    """Judge a value without asking any service: None when valid, else the user's text.

    What only a service can decide counts as valid; an unknown name is never valid. Without `now`
    an expiration in the past is not noticed. Source: facts/constraints.json.
    """
    if not isinstance(name, str):  # whatever a template may have as a name
        return f'"{value}" does not validate {name} (constraint not found)'
    if name in SERVICE_CONSTRAINTS:
        return None
    if name not in LOCAL_CONSTRAINTS:
        return f'"{value}" does not validate {name} (constraint not found)'
    problem = _expiration(value, now) if name == "expiration" else _CHECKS[name](value)
    return None if problem is None else error_text(value, problem)
