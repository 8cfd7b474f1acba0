"""The database URLs that operators write, and the drivers that heat-trio uses for them."""

from __future__ import annotations

from sqlalchemy import URL, make_url


class UnsupportedDatabase(ValueError):
    """The URL names a database or a driver that heat-trio can't use."""


def driver_url(url: str | URL) -> URL:
    """`url` with heat-trio's driver in it.

    Accepts sqlite://, mysql://, mysql+pymysql:// and mysql+asyncmy:// (mariadb:// likewise).
    Raises UnsupportedDatabase for anything else.
    """
    parsed = make_url(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return parsed.set(drivername="sqlite+pysqlite")
    if backend in ("mysql", "mariadb"):
        if parsed.database is None:
            raise UnsupportedDatabase("The database URL names no database.")
        query = dict(parsed.query)
        query.setdefault("charset", "utf8mb4")
        return parsed.set(drivername="mysql+asyncmy", query=query)
    raise UnsupportedDatabase(f"Databases of the kind '{backend}' are not supported.")
