"""Database URLs that operators write."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from heat_io.database import UnsupportedDatabase, database_target, driver_url
from tests.certificates import Certificates

BASE = "mysql+pymysql://u:hush@h/heat"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.made(tmp_path_factory.mktemp("certificates"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("sqlite:////var/lib/heat.db", "sqlite+pysqlite:////var/lib/heat.db"),
        ("mysql+pymysql://u:p@h/heat", "mysql+asyncmy://u:p@h/heat?charset=utf8mb4"),
        ("mysql://u@h:3307/heat?charset=utf8", "mysql+asyncmy://u@h:3307/heat?charset=utf8"),
        ("mariadb+asyncmy://u@h/heat", "mysql+asyncmy://u@h/heat?charset=utf8mb4"),
        ("mysql+mysqldb://u:p%40@h/heat", "mysql+asyncmy://u:p%40@h/heat?charset=utf8mb4"),
    ],
)
def test_the_driver_is_ours(given: str, expected: str) -> None:
    assert driver_url(given).render_as_string(hide_password=False) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("postgresql://h/heat", "'postgresql' are not supported"),
        ("mysql+pymysql://u:hush@h", "names no database"),
        ("u:hush@h", "can't be read"),
    ],
)
def test_other_databases_are_refused(given: str, said: str) -> None:
    with pytest.raises(UnsupportedDatabase, match=said) as raised:
        driver_url(given)
    assert "hush" not in str(raised.value)


def test_options_become_the_drivers_arguments(tmp_path: Path) -> None:
    file = tmp_path / "my.cnf"
    file.write_text("")
    target = database_target(
        f"{BASE}?charset=utf8&unix_socket=/s&connect_timeout=5&read_timeout=30&use_unicode=1"
        "&client_flag=8&local_infile=false&max_allowed_packet=1048576&binary_prefix=true"
        f"&program_name=heat&read_default_file={file}&read_default_group=heat"
    )
    assert dict(target.url.query) == {"charset": "utf8"}
    assert target.connect_args == {
        "unix_socket": "/s",
        "connect_timeout": 5,
        "read_timeout": 30,
        "client_flag": 8,
        "local_infile": False,
        "max_allowed_packet": 1048576,
        "binary_prefix": True,
        "program_name": "heat",
        "read_default_file": str(file),
        "read_default_group": "heat",
    }
    assert target.ignored == ()


def test_what_a_session_begins_with() -> None:
    target = database_target(f"{BASE}?collation=utf8mb4_bin&init_command=SET+time_zone='%2B00:00'")
    assert target.session == (
        "SET SESSION collation_connection = 'utf8mb4_bin'",
        "SET time_zone='+00:00'",
    )


def test_options_without_effect_are_named() -> None:
    target = database_target(f"{BASE}?write_timeout=5&autocommit=1&sql_mode=ANSI&compress=1")
    assert [one.partition(" in the database URL has no effect: ")[0] for one in target.ignored] == [
        "autocommit",
        "compress",
        "sql_mode",
        "write_timeout",
    ]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("bind_address=1.2.3.4&zone=x", "doesn't know: bind_address, zone"),
        ("connect_timeout=soon", "connect_timeout in the database URL: 'soon' is no number"),
        ("read_timeout=0", "read_timeout .* a second at least"),
        ("local_infile=perhaps", "neither true nor false"),
        ("use_unicode=0", "Unicode always"),
        ("charset=utf8';", "no name"),
        ("charset=utf8&charset=latin1", "more than once"),
        ("ssl_ca=/none/ca.pem", "ssl_ca in the database URL: /none/ca.pem: No such file"),
        ("ssl_mode=MAYBE", "'MAYBE' is not known"),
        ("ssl=1&ssl_cipher=NONE", "TLS options can't be used"),
    ],
)
def test_options_that_cannot_be_had_are_refused(query: str, said: str) -> None:
    with pytest.raises(UnsupportedDatabase, match=said) as raised:
        database_target(f"{BASE}?{query}")
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("query", "verified", "name_checked"),
    [
        ("ssl_ca={ca}", True, True),
        ("ssl_ca={ca}&ssl_check_hostname=false", True, False),
        ("ssl_ca={ca}&ssl_verify_cert=true&ssl_verify_identity=false", True, False),
        ("ssl_ca={ca}&ssl_verify_cert=false", False, False),
        ("ssl_ca={ca}&ssl_cert={cert}&ssl_key={key}", True, True),
        ("ssl_cert={cert}&ssl_key={key}", False, False),
        ("ssl=true", False, False),
        ("ssl_mode=REQUIRED", False, False),
        ("ssl_mode=verify_ca&ssl_ca={ca}", True, False),
        ("ssl_mode=VERIFY_IDENTITY&ssl_ca={ca}", True, True),
        ("ssl_verify_cert=true", True, False),
    ],
)
def test_tls(query: str, verified: bool, name_checked: bool, certificates: Certificates) -> None:
    text = query.format(ca=certificates.ca, cert=certificates.cert, key=certificates.key)
    context = database_target(f"{BASE}?{text}").connect_args["ssl"]
    assert isinstance(context, ssl.SSLContext)
    assert (context.verify_mode == ssl.CERT_REQUIRED) == verified
    assert context.check_hostname == name_checked


@pytest.mark.parametrize(
    "query", ["", "ssl=false", "ssl_disabled=1&ssl_ca={ca}", "ssl_mode=DISABLED", "charset=utf8"]
)
def test_no_tls(query: str, certificates: Certificates) -> None:
    target = database_target(f"{BASE}?{query.format(ca=certificates.ca)}")
    assert "ssl" not in target.connect_args
