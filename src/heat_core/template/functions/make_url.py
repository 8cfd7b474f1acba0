"""make_url."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, uses_netloc

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution

_PARTS = ("scheme", "username", "password", "host", "port", "path", "query", "fragment")


class MakeURL(Function):
    """A URL of its parts, each escaped as its place wants it."""

    __slots__ = ()

    def validate(self, at: Resolution) -> None:
        super().validate(at)
        if not isinstance(self.args, Mapping):
            raise TypeError(f'The arguments to "{self.name}" must be a map')
        unknown = set(self.args) - set(_PARTS)
        if unknown:
            raise ValueError(f'Invalid arguments to "{self.name}": {", ".join(unknown)}')
        self._check(self.args)

    def _check(self, args: Any) -> None:
        for part in _PARTS:
            if part not in args:
                continue
            value = args[part]
            if part == "query":
                if not isinstance(value, Function | Mapping):
                    raise TypeError(f'The "{part}" argument to "{self.name}" must be a map')
                # What follows the query, the fragment, is not checked then.
                return
            if part == "port":
                self._check_port(value, args)
            elif not isinstance(value, Function | str):
                raise TypeError(f'The "{part}" argument to "{self.name}" must be a string')

    def _check_port(self, value: Any, args: Any) -> None:
        if isinstance(value, Function):
            return
        if isinstance(value, int):
            port = value
        else:
            try:
                port = int(value)
            except ValueError:
                raise ValueError(
                    f'Invalid URL port "{value}" for {self.name} called with {args}'
                ) from None
        if not 0 < port <= 65535:
            raise ValueError(f"Invalid URL port {port:d}, must be in range 1-65535")

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        self._check(args)
        scheme = args.get("scheme", "")
        if ":" in scheme:
            raise ValueError("URL \"scheme\" should not contain ':'")
        return _join(
            scheme,
            _netloc(args),
            quote(args.get("path", "")),
            urlencode(args.get("query", {})).replace("%2F", "/"),
            quote(args.get("fragment", "")),
        )


def _join(scheme: str, netloc: str, path: str, query: str, fragment: str) -> str:
    """The URL; the standard library's own joining differs from one Python to the next."""
    url = path
    if netloc or (scheme in uses_netloc and scheme and not path.startswith("//")):
        if path and not path.startswith("/"):
            url = f"/{path}"
        url = f"//{netloc}{url}"
    if scheme:
        url = f"{scheme}:{url}"
    if query:
        url = f"{url}?{query}"
    return f"{url}#{fragment}" if fragment else url


def _netloc(args: Mapping[str, Any]) -> str:
    username = quote(args.get("username", ""), safe="")
    password = quote(args.get("password", ""), safe="")
    user = f"{username}:{password}@" if password else f"{username}@" if username else ""
    host = args.get("host", "")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    host = quote(host, safe=":")
    if ":" in host:
        host = f"[{host}]"
    port = args.get("port", "")
    return f"{user}{host}:{port}" if port else f"{user}{host}"
