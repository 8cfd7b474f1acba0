"""The database URLs that operators write, and what heat-trio's drivers make of them.

An operator's URL is written for PyMySQL or mysqlclient. Its options are mapped to asyncmy; one
that has no effect on what heat-trio does is named, one that can't be had is refused.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

__all__ = ["DatabaseTarget", "UnsupportedDatabase", "database_target", "driver_url"]


class UnsupportedDatabase(ValueError):
    """The URL names a database, a driver or an option that heat-trio can't use."""


@dataclass(frozen=True, slots=True)
class DatabaseTarget:
    """A URL for SQLAlchemy, and what doesn't go into one.

    `connect_args` are for the driver; `session` are statements that a new connection begins with;
    `ignored` has a sentence for each option without effect.
    """

    url: URL
    connect_args: Mapping[str, Any] = field(default_factory=dict)
    session: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def driver_url(url: str | URL) -> URL:
    """`url` with heat-trio's driver in it and nothing else: see database_target."""
    return database_target(url).url


def database_target(url: str | URL) -> DatabaseTarget:
    """What to connect to for `url`, and how.

    Accepts sqlite://, mysql://, mysql+pymysql:// and mysql+asyncmy:// (mariadb:// and other drivers
    likewise). Files with certificates are read. Raises UnsupportedDatabase, with a sentence that
    holds no password, for anything else.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UnsupportedDatabase(
            "The database URL can't be read: mysql+pymysql://USER:PASSWORD@HOST/NAME, with %XX for "
            "characters of the password such as @, / and :."
        ) from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return DatabaseTarget(parsed.set(drivername="sqlite+pysqlite"))
    if backend in ("mysql", "mariadb"):
        if parsed.database is None:
            raise UnsupportedDatabase("The database URL names no database.")
        return _mysql(parsed)
    raise UnsupportedDatabase(f"Databases of the kind '{backend}' are not supported.")


def _mysql(url: URL) -> DatabaseTarget:
    query = _Query(url)
    arguments: dict[str, Any] = {}
    for name, convert in _ARGUMENTS.items():
        value = query.take(name, convert)
        if value is not None:
            arguments[name] = value
    arguments.setdefault("charset", "utf8mb4")
    charset = arguments.pop("charset")
    context = _tls(query)
    if context is not None:
        arguments["ssl"] = context
    session = []
    collation = query.take("collation", _word)
    if collation is not None:
        session.append(f"SET SESSION collation_connection = '{collation}'")
    command = query.take("init_command", str)
    if command is not None:
        session.append(command)
    ignored = [
        f"{name} in the database URL has no effect: {why}"
        for name, why in _WITHOUT_EFFECT.items()
        if query.take(name, str) is not None
    ]
    query.must_be_empty()
    return DatabaseTarget(
        url.set(drivername="mysql+asyncmy", query={"charset": charset}),
        arguments,
        tuple(session),
        tuple(ignored),
    )


class _Query:
    """The options of a URL, taken one by one."""

    def __init__(self, url: URL) -> None:
        self._left = dict(url.query)

    def take[T](self, name: str, convert: Callable[[str], T]) -> T | None:
        """The option's value, None when it is not there. Raises UnsupportedDatabase."""
        text = self._left.pop(name, None)
        if text is None:
            return None
        if not isinstance(text, str):
            raise UnsupportedDatabase(f"{name} stands more than once in the database URL.")
        try:
            return convert(text)
        except ValueError as error:
            raise UnsupportedDatabase(f"{name} in the database URL: {error}") from None

    def must_be_empty(self) -> None:
        """Raise UnsupportedDatabase when something is left that nobody took."""
        if self._left:
            names = ", ".join(sorted(self._left))
            raise UnsupportedDatabase(
                f"The database URL has options that heat-trio's driver doesn't know: {names}."
            )


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"'{text}' is no number.")
    return int(text)


def _seconds(text: str) -> int:
    number = _number(text)
    if number < 1:
        raise ValueError("it must be a second at least.")
    return number


def _switch(text: str) -> bool:
    known = {"true": True, "1": True, "yes": True, "on": True}
    known |= {"false": False, "0": False, "no": False, "off": False}
    if text.lower() not in known:
        raise ValueError(f"'{text}' is neither true nor false.")
    return known[text.lower()]


def _word(text: str) -> str:
    if not re.fullmatch(r"\w+", text, re.ASCII):
        raise ValueError(f"'{text}' is no name.")
    return text


def _unicode(text: str) -> None:
    if not _switch(text):
        raise ValueError("texts are Unicode always.")


def _file(text: str) -> str:
    try:
        with open(text, encoding="utf-8", errors="replace"):
            return text
    except OSError as error:
        raise ValueError(f"{text}: {error.strerror}.") from None


_ARGUMENTS: Final[Mapping[str, Callable[[str], Any]]] = {
    "binary_prefix": _switch,
    "charset": _word,
    "client_flag": _number,
    "connect_timeout": _seconds,
    "local_infile": _switch,
    "max_allowed_packet": _number,
    "program_name": str,
    "read_default_file": _file,
    "read_default_group": str,
    "read_timeout": _seconds,
    "unix_socket": str,
    "use_unicode": _unicode,
}
"""the driver's arguments, under the names that PyMySQL has for them"""

_WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "autocommit": "transactions are heat-trio's own business.",
    "compress": "the protocol is not compressed.",
    "sql_mode": "see [database] mysql_sql_mode.",
    "write_timeout": "a transaction has a deadline as a whole.",
}

_MODES: Final[Mapping[str, tuple[bool, bool]]] = {
    "REQUIRED": (False, False),
    "VERIFY_CA": (True, False),
    "VERIFY_IDENTITY": (True, True),
}
"""mysqlclient's ssl_mode -> whether the certificate, and the host's name in it, are checked"""


def _tls(query: _Query) -> ssl.SSLContext | None:
    """The context that the ssl options ask for; None: no TLS.

    As PyMySQL: with an authority the certificate and the name in it are checked, without one
    neither is.
    """
    wanted = query.take("ssl", _switch)
    disabled = query.take("ssl_disabled", _switch)
    mode = query.take("ssl_mode", str.upper)
    ca, capath = query.take("ssl_ca", _file), query.take("ssl_capath", str)
    certificate, key = query.take("ssl_cert", _file), query.take("ssl_key", _file)
    key_password, cipher = query.take("ssl_key_password", str), query.take("ssl_cipher", str)
    verify = query.take("ssl_verify_cert", _switch)
    check_name = query.take("ssl_verify_identity", _switch)
    check_hostname = query.take("ssl_check_hostname", _switch)
    if disabled or wanted is False or mode in ("DISABLED", "PREFERRED"):
        return None
    named = (wanted, mode, ca, capath, certificate, key, cipher, verify, check_name)
    if all(one is None for one in (*named, check_hostname)):
        return None
    has_authority = ca is not None or capath is not None
    verified, name_checked = has_authority, has_authority
    if mode is not None:
        if mode not in _MODES:
            raise UnsupportedDatabase(f"ssl_mode in the database URL: '{mode}' is not known.")
        verified, name_checked = _MODES[mode]
    if verify is not None:
        verified, name_checked = verify, verify and name_checked
    for given in (check_hostname, check_name):
        if given is not None:
            name_checked = given
    try:
        context = ssl.create_default_context(cafile=ca, capath=capath)
        context.check_hostname = name_checked and verified
        context.verify_mode = ssl.CERT_REQUIRED if verified else ssl.CERT_NONE
        if certificate is not None:
            context.load_cert_chain(certificate, key, key_password)
        if cipher is not None:
            context.set_ciphers(cipher)
    except (OSError, ssl.SSLError) as error:
        raise UnsupportedDatabase(
            f"The database URL's TLS options can't be used: {error}"
        ) from None
    return context
