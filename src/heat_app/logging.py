"""How log records are written: one line each, constant message first, then the fields.

    2026-05-01T12:00:00.123 INFO heat_io.drivers.node [req-6b1c] node finished step_id=9f2 ...

Fields come from `extra={"fields": {...}}` and from heat_io.log_context; request_id goes in front.
What may be a secret is masked here, as a last line of defence: by the field's name, and in any
text by the looks of it (Fernet tokens, passwords in URLs and in `password=...`).
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Mapping
from typing import IO

from heat_io.log_context import CALLER, current_fields

__all__ = ["JsonFormatter", "LineFormatter", "configure", "masked", "quoted", "record_fields"]

MASK = "***"

_SECRET_NAMES = re.compile(
    r"pass(word|wd|phrase)?$|^pass|token(?!_(id|info_id)$)|secret|credential|private_key"
    r"|auth_key|encryption_key|hidden_value",
    re.IGNORECASE,
)
_SECRET_TEXTS = (
    # Keystone's Fernet and JWS tokens, wherever they appear.
    (re.compile(r"gAAAAA[\w\-=]{20,}"), MASK),
    (re.compile(r"\beyJ[\w\-]{10,}\.[\w\-]{10,}\.[\w\-]{10,}"), MASK),
    # scheme://user:password@host
    (re.compile(r"(\w+://[^\s:/@]+):[^\s/@]+@"), rf"\1:{MASK}@"),
    # the further hosts of rabbit://user:password@host,user:password@host
    (re.compile(r"(,[^\s:/@,]+):[^\s/@,]+@"), rf"\1:{MASK}@"),
    # (b'X-Auth-Token', b'...')
    (
        re.compile(r"""(x-(?:auth|subject|service)-token["']\s*,\s*b?["'])[^"']+""", re.IGNORECASE),
        rf"\1{MASK}",
    ),
    # X-Auth-Token: ..., 'password': '...', password=...
    (
        re.compile(
            r"""((?:x-(?:auth|subject|service)-token|\w*passw(?:or)?d|\w*secret)["']?\s*[:=]\s*"""
            r"""b?["']?)[^\s"',;}&]+""",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
)


def masked(text: str) -> str:
    """The text without what looks like a token or a password."""
    for pattern, replacement in _SECRET_TEXTS:
        text = pattern.sub(replacement, text)
    return text


def record_fields(record: logging.LogRecord) -> dict[str, object]:
    """The fields that are bound where the record is formatted, then its own; secrets masked."""
    own = getattr(record, "fields", None)
    merged = {**current_fields(), **(own if isinstance(own, Mapping) else {})}
    return {
        name: MASK if _SECRET_NAMES.search(name) else _plain(value)
        for name, value in merged.items()
    }


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return masked(str(value))


class LineFormatter(logging.Formatter):
    """A line a record: time (UTC), level, logger, [request id], message, name=value..."""

    def format(self, record: logging.LogRecord) -> str:
        fields = record_fields(record)
        request_id = fields.pop("request_id", "-")
        for name in CALLER:
            fields.pop(name, None)  # the request id tells whose it is
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        parts = [
            f"{stamp}.{int(record.msecs):03d}",
            record.levelname,
            record.name,
            f"[{request_id}]",
            masked(record.getMessage()),
            *(f"{name}={quoted(value)}" for name, value in fields.items()),
        ]
        line = " ".join(parts)
        if record.exc_info:
            line += "\n" + masked(self.formatException(record.exc_info))
        return line


def quoted(value: object) -> str:
    """The value as text, in quotes where it would not be read as one word."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if re.search(r"[\s\"=]|^$", text) else text


class JsonFormatter(logging.Formatter):
    """The same as one JSON object a line, for `use_json = true`."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": record.created,
            "level": record.levelname,
            "logger": record.name,
            "message": masked(record.getMessage()),
            **record_fields(record),
        }
        if record.exc_info:
            entry["exception"] = masked(self.formatException(record.exc_info))
        return json.dumps(entry, default=str, ensure_ascii=False)


def configure(
    *, stream: IO[str] | None = None, path: str | None = None, debug: bool, use_json: bool = False
) -> logging.Handler:
    """Send every logger's records to `path`, else to `stream`, else to standard error.

    Returns the handler, which the caller closes. Libraries speak from WARNING up.
    """
    handler: logging.Handler = (
        logging.FileHandler(path, encoding="utf-8")
        if path
        else logging.StreamHandler(stream or sys.stderr)
    )
    handler.setFormatter(JsonFormatter() if use_json else LineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("heat_core", "heat_io", "heat_app"):
        logging.getLogger(name).setLevel(logging.DEBUG if debug else logging.INFO)
    logging.captureWarnings(True)
    return handler
