"""Which URL a service answers at, from the catalog that came with a token.

The rules are keystoneauth's: a type matches itself, or an official type matches its aliases; the
region is compared with `region_id` or else `region`; the first endpoint wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# Official service type -> its names in older catalogs, best first: the services that Heat's client
# plugins ask for (facts/client-plugins.json, service_types).
SERVICE_TYPE_ALIASES: Mapping[str, tuple[str, ...]] = {
    "alarm": ("alarming",),
    "application-container": ("container",),
    "baremetal": ("bare-metal",),
    "block-storage": ("volumev3", "volumev2", "volume", "block-store"),
    "container-infrastructure-management": ("container-infrastructure", "container-infra"),
    "instance-ha": ("ha",),
    "message": ("messaging",),
    "shared-file-system": ("sharev2", "share"),
    "workflow": ("workflowv2",),
}
_IDENTITY = "identity"
_IDENTITY_VERSION = re.compile(r"/v(?:2\.0|3)/?$")


class EndpointNotFound(LookupError):
    """The catalog has no such endpoint; the text is keystoneauth's."""

    error_class = "EndpointNotFound"


class EmptyCatalog(EndpointNotFound):
    """The token came without a catalog."""

    error_class = "EmptyCatalog"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address of a service."""

    service_type: str
    interface: str
    region: str | None
    url: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """The endpoints of a token, in the token's order."""

    endpoints: tuple[Endpoint, ...] = field(default=(), repr=False)

    @classmethod
    def from_token(cls, token: Mapping[str, Any]) -> Catalog:
        """Read the `catalog` of a v3 token body; entries without a type or a URL are left out."""
        return cls(tuple(_endpoints(token.get("catalog") or ())))

    def url(
        self, service_type: str, *, interface: str = "public", region: str | None = None
    ) -> str:
        """The URL of the service, as the catalog spells it, without a trailing slash.

        `interface` also comes as "publicURL". Raises EmptyCatalog or EndpointNotFound.
        """
        if not self.endpoints:
            raise EmptyCatalog("The service catalog is empty.")
        wanted = interface.removesuffix("URL")
        fitting = [
            endpoint
            for endpoint in self.endpoints
            if _matches(service_type, endpoint.service_type)
            and endpoint.interface == wanted
            and region in (None, "", endpoint.region)
        ]
        for name in (service_type, *SERVICE_TYPE_ALIASES.get(service_type, ())):
            for endpoint in fitting:
                if endpoint.service_type == name:
                    return endpoint.url.rstrip("/")
        if fitting:  # an alias was asked for and the catalog has the official name
            return fitting[0].url.rstrip("/")
        place = f"in {region} region " if region else ""
        raise EndpointNotFound(f"{wanted} endpoint for {service_type} service {place}not found")


def join(base: str, path: str, *, service_type: str = "") -> str:
    """The URL of `path` at a service's base URL.

    The identity service is spoken to in version 3 whatever version the catalog names, if any.
    For every service a first segment that the base already ends with ("/v2.0") isn't doubled.
    """
    if service_type == _IDENTITY:
        base = identity_v3(base)
    base = base.rstrip("/")
    path = "/" + path.lstrip("/")
    first = "/" + path[1:].split("/", 1)[0].split("?", 1)[0]
    if len(first) > 1 and base.endswith(first) and re.fullmatch(r"/v\d[\d.]*", first):
        base = base.removesuffix(first)
    return base + path


def identity_v3(url: str) -> str:
    """The version 3 root of a Keystone that is named with or without a version."""
    return _IDENTITY_VERSION.sub("", url.rstrip("/")) + "/v3"


def _matches(requested: str, found: str) -> bool:
    # Two aliases of one service don't match each other: they may differ in version.
    return (
        requested == found
        or found in SERVICE_TYPE_ALIASES.get(requested, ())
        or requested in SERVICE_TYPE_ALIASES.get(found, ())
    )


def _endpoints(catalog: Iterable[Mapping[str, Any]]) -> Iterable[Endpoint]:
    for service in catalog:
        for endpoint in service.get("endpoints") or ():
            if service.get("type") and endpoint.get("url"):
                yield Endpoint(
                    service["type"],
                    str(endpoint.get("interface", "")),
                    endpoint.get("region_id") or endpoint.get("region"),
                    endpoint["url"],
                )
