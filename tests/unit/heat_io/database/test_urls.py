"""Database URLs that operators write."""

from __future__ import annotations

import pytest

from heat_io.database import UnsupportedDatabase, driver_url


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("sqlite:////var/lib/heat.db", "sqlite+pysqlite:////var/lib/heat.db"),
        ("mysql+pymysql://u:p@h/heat", "mysql+asyncmy://u:p@h/heat?charset=utf8mb4"),
        ("mysql://u@h:3307/heat?charset=utf8", "mysql+asyncmy://u@h:3307/heat?charset=utf8"),
        ("mariadb+asyncmy://u@h/heat", "mysql+asyncmy://u@h/heat?charset=utf8mb4"),
    ],
)
def test_the_driver_is_ours(given: str, expected: str) -> None:
    assert driver_url(given).render_as_string(hide_password=False) == expected


@pytest.mark.parametrize("given", ["postgresql://h/heat", "mysql+pymysql://u@h"])
def test_other_databases_are_refused(given: str) -> None:
    with pytest.raises(UnsupportedDatabase):
        driver_url(given)
