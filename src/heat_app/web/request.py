"""One HTTP request as the rest of an API sees it, and how its URL parts are read.

The path is read from the bytes on the wire: percent escapes are decoded before anything is
matched (an escaped slash separates like any other), runs of slashes count as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urljoin

from werkzeug.datastructures import Headers

from heat_app.web.parameters import Parameters

_SLASHES = re.compile("/{2,}")
_URL_SAFE = "/~!$&'()*+,;=:@"
_GLOBAL_ID = re.compile(r"req-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}$")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """A request whose path is valid UTF-8.

    `script` is the part of the path that belongs to the application (`/v1` once the version is
    taken off, "" before and for requests without a version), `path` the rest. `body_size` may be
    larger than `body`: what passes the limit is counted, not kept.
    """

    method: str
    scheme: str
    host: str
    path: str
    query: bytes
    headers: Headers
    script: str = ""
    body: bytes = b""
    body_size: int = 0
    request_id: str = ""

    # --- where links lead ------------------------------------------------------------------------

    @property
    def host_url(self) -> str:
        """Scheme and host; the scheme's own port is left out."""
        host, colon, port = self.host.rpartition(":")
        if not colon or self.host.endswith("]"):
            host, port = self.host, ""
        if port == _DEFAULT_PORTS.get(self.scheme):
            port = ""
        return f"{self.scheme}://{host}" + (f":{port}" if port else "")

    @property
    def application_url(self) -> str:
        """What links start with: host and script part."""
        return self.host_url + quote(self.script, safe=_URL_SAFE)

    @property
    def path_url(self) -> str:
        """The request's own URL without its query."""
        return self.application_url + quote(self.path, safe=_URL_SAFE)

    def link(self, relative: str) -> str:
        """An absolute URL for a path below the application's URL."""
        return urljoin(self.application_url + "/", relative)

    # --- headers -------------------------------------------------------------------------------

    @property
    def accept(self) -> str:
        """The Accept header, "" without one."""
        return self.headers.get("Accept", "")

    @property
    def content_type(self) -> str:
        """The content type without its parameters, "" without one."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip()

    @property
    def content_length(self) -> int:
        """The announced length of the body; 0 for none, and for a chunked one."""
        text = self.headers.get("Content-Length", "")
        return int(text) if text.isdecimal() else 0

    @property
    def global_request_id(self) -> str | None:
        """The id that the caller gave the whole operation, if it has the form of one."""
        given = self.headers.get("X-Openstack-Request-Id", "")
        return given if _GLOBAL_ID.match(given) else None

    # --- parameters ----------------------------------------------------------------------------

    def parameters(self) -> Parameters:
        """Query and form parameters; UnicodeDecodeError for text that is not UTF-8."""
        return Parameters.parse(self.query, self.body if self._is_form() else b"")

    def _is_form(self) -> bool:
        # A POST without a type counts as a form; a multipart body is not read.
        if "Content-Type" not in self.headers:
            return self.method == "POST"
        return self.content_type == "application/x-www-form-urlencoded"

    # --- changed copies ------------------------------------------------------------------------

    def pop_segment(self) -> ApiRequest:
        """The request with the first segment of its path moved to the script part."""
        head, slash, rest = self.path.lstrip("/").partition("/")
        return replace(self, script=f"{self.script}/{head}", path=slash + rest)

    def first_segment(self) -> str:
        """The first segment of the path, "" for the root."""
        return self.path.lstrip("/").partition("/")[0]

    def behind_proxy(self) -> ApiRequest:
        """The request as a proxy's Forwarded or X-Forwarded-* headers tell it."""
        forwarded = self.headers.get("Forwarded")
        if forwarded:
            told = _first_forwarded(forwarded)
            scheme, host = told.get("proto"), told.get("host")
        else:
            scheme = self.headers.get("X-Forwarded-Proto")
            host = self.headers.get("X-Forwarded-Host")
        prefix = self.headers.get("X-Forwarded-Prefix", "")
        return replace(
            self,
            scheme=scheme or self.scheme,
            host=host or self.host,
            script=prefix + self.script,
        )


def _first_forwarded(header: str) -> dict[str, str]:
    parts = (item.partition("=") for item in header.split(",")[0].split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in parts}


def decode_path(raw_path: bytes) -> str:
    """The path in text; UnicodeDecodeError when it is not UTF-8."""
    decoded = unquote_to_bytes(raw_path).decode("utf-8")
    return _SLASHES.sub("/", decoded)


def from_scope(scope: Mapping[str, Any], headers: Headers, *, path: str) -> ApiRequest:
    """A request from an ASGI scope; `path` is the decoded one."""
    server = scope.get("server") or ("localhost", None)
    fallback = f"{server[0]}:{server[1]}" if server[1] else str(server[0])
    return ApiRequest(
        method=scope["method"],
        scheme=scope["scheme"],
        host=headers.get("Host") or fallback,
        path=path or "/",
        query=scope["query_string"],
        headers=headers,
    )
