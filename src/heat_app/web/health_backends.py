"""What the health check looks at: [healthcheck], as oslo.middleware's own checks look at it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from heat_app.config import HealthcheckSettings

__all__ = ["HealthCheck", "Result"]

OK: Final = "OK"
FORWARDED: Final = tuple(
    f"X-Forwarded{part}" for part in ("", "-Proto", "-Host", "-For", "-Prefix")
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one backend says."""

    available: bool
    reason: str
    details: str = ""


type Backend = Callable[[int | None], Result]
"""looks for itself; it is told the port that was asked at"""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The configured backends, in order, and who may ask them.

    `complaints`: a sentence for each backend that has nothing to look at.
    """

    backends: tuple[Backend, ...] = ()
    detailed: bool = False
    sources: tuple[IPv4Network | IPv6Network, ...] = ()
    ignores_proxied: bool = False
    complaints: tuple[str, ...] = ()

    @classmethod
    def from_settings(cls, settings: HealthcheckSettings) -> Self:
        """Raises ValueError with a sentence for what can't be used."""
        names = settings.backends
        for name in names:
            if name not in _MAKERS:
                raise ValueError(
                    f"[healthcheck] backends: there is no {name}; heat-trio has "
                    f"{', '.join(_MAKERS)}."
                )
        if {"disable_by_file", "enable_by_files"} <= set(names):
            raise ValueError(
                "[healthcheck] backends: disable_by_file and enable_by_files exclude each other."
            )
        return cls(
            tuple(_MAKERS[name](settings) for name in names),
            settings.detailed,
            tuple(_network(text) for text in settings.allowed_source_ranges),
            settings.ignore_proxied_requests,
            tuple(
                f"[healthcheck] {name} is not set: {backend} finds everything well"
                for backend, name in _LOOKED_AT.items()
                if backend in names and not getattr(settings, name)
            ),
        )

    def is_for(self, address: str | None, header: Callable[[str], str | None]) -> bool:
        """Whether a client at this address gets to see the health check.

        `header` gives the value of a header, None for one that was not sent.
        """
        if self.ignores_proxied and any(header(name) for name in FORWARDED):
            return False
        if not self.sources:
            return True
        if address is None:
            return False
        client = ip_address(address.partition("%")[0])
        return any(client.version == one.version and client in one for one in self.sources)

    def results(self, port: int | None) -> tuple[Result, ...]:
        """What the backends say to a client that has asked at `port`."""
        return tuple(backend(port) for backend in self.backends)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise ValueError(f"[healthcheck] allowed_source_ranges: {error}.") from None


def _disable_by_file(settings: HealthcheckSettings) -> Backend:
    path = settings.disable_by_file_path

    def look(port: int | None) -> Result:
        if not path:
            return Result(True, OK, "No 'disable_by_file_path' configuration value specified")
        if os.path.exists(path):
            return Result(False, "DISABLED BY FILE", f"Path '{path}' was found")
        return Result(True, OK, f"Path '{path}' was not found")

    return look


def _disable_by_files_ports(settings: HealthcheckSettings) -> Backend:
    paths: dict[int | None, str] = {}
    for text in settings.disable_by_file_paths:
        port, colon, path = text.strip().partition(":")
        if not (colon and port.isdecimal()):
            raise ValueError(f"[healthcheck] disable_by_file_paths: {text} is not PORT:PATH.")
        paths[int(port)] = path

    def look(port: int | None) -> Result:
        path = paths.get(port)
        if path and os.path.exists(path):
            return Result(False, "DISABLED BY FILE")
        return Result(True, OK)

    return look


def _enable_by_files(settings: HealthcheckSettings) -> Backend:
    def look(port: int | None) -> Result:
        for path in settings.enable_by_file_paths:
            if not os.path.exists(path):
                return Result(False, "FILE PATH MISSING", f"File path {path} is missing")
        return Result(True, OK, "Specified file paths are available")

    return look


_MAKERS: Final[Mapping[str, Callable[[HealthcheckSettings], Backend]]] = {
    "disable_by_file": _disable_by_file,
    "disable_by_files_ports": _disable_by_files_ports,
    "enable_by_files": _enable_by_files,
}
_LOOKED_AT: Final = {
    "disable_by_file": "disable_by_file_path",
    "disable_by_files_ports": "disable_by_file_paths",
    "enable_by_files": "enable_by_file_paths",
}
