"""TLS to a MariaDB, a server of this test's own: the one that others share need not have it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio_asyncio
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from heat_io.database import ConnectionLost, Database, migrate
from tests.certificates import Certificates
from tests.conftest import not_run

START_SECONDS = 60
GRANTS = """\
CREATE DATABASE heat;
DROP USER IF EXISTS ''@'localhost';
CREATE USER heat@'%' IDENTIFIED BY 'p' REQUIRE SSL;
GRANT ALL ON heat.* TO heat@'%';
CREATE USER known@'%' IDENTIFIED BY 'p' REQUIRE SUBJECT '/CN=server';
GRANT ALL ON heat.* TO known@'%';
"""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.made(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[int]:
    """The port of a MariaDB that takes connections with TLS only."""
    daemon, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if daemon is None or install is None:
        not_run("no mariadbd to start")
    folder = tmp_path_factory.mktemp("mariadb")
    as_root = ["--user=root"] if os.geteuid() == 0 else []
    data = f"--datadir={folder / 'data'}"
    subprocess.run(
        [
            str(install),
            "--no-defaults",
            data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            *as_root,
        ],
        check=True,
        capture_output=True,
    )
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    (folder / "grants.sql").write_text(GRANTS)
    command = [
        str(daemon),
        "--no-defaults",
        data,
        f"--socket={folder / 's'}",
        f"--port={port}",
        "--bind-address=127.0.0.1",
        f"--ssl-ca={certificates.ca}",
        f"--ssl-cert={certificates.cert}",
        f"--ssl-key={certificates.key}",
        "--innodb-buffer-pool-size=16M",
        f"--init-file={folder / 'grants.sql'}",
        *as_root,
    ]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log) as process:
        try:
            _wait(port, process)
            yield port
        finally:
            process.terminate()
            process.wait(timeout=START_SECONDS)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, "mariadbd ended"
        assert time.monotonic() < deadline, "mariadbd did not start"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)


def _cipher(connection: Connection) -> str:
    return str(connection.execute(text("SHOW SESSION STATUS LIKE 'Ssl_cipher'")).one()[1])


async def _cipher_of(url: str) -> str:
    async with trio_asyncio.open_loop() as loop, Database.open(url, loop=loop) as database:
        await database.wait_until_reachable(retries=0, pause_seconds=0)
        in_read = await database.read(_cipher)
        assert await database.transaction(_cipher) == in_read
        return in_read


async def _refusal(url: str) -> str:
    async with trio_asyncio.open_loop() as loop, Database.open(url, loop=loop) as database:
        with pytest.raises((OperationalError, ConnectionLost)) as raised:
            await database.wait_until_reachable(retries=0, pause_seconds=0)
        return str(raised.value)


@pytest.mark.blocks_the_loop("a handshake computes")
@pytest.mark.parametrize(
    "query",
    ["ssl_ca={ca}", "ssl=true", "ssl_mode=REQUIRED", "ssl_mode=VERIFY_IDENTITY&ssl_ca={ca}"],
)
async def test_a_connection_with_tls(server: int, certificates: Certificates, query: str) -> None:
    options = query.format(ca=certificates.ca)
    cipher = await _cipher_of(f"mysql+pymysql://heat:p@127.0.0.1:{server}/heat?{options}")
    assert cipher.startswith("TLS_")


@pytest.mark.blocks_the_loop("a handshake computes")
async def test_a_certificate_of_the_clients(server: int, certificates: Certificates) -> None:
    with_certificate = (
        f"mysql+pymysql://known:p@127.0.0.1:{server}/heat?ssl_ca={certificates.ca}"
        f"&ssl_cert={certificates.cert}&ssl_key={certificates.key}"
    )
    assert (await _cipher_of(with_certificate)).startswith("TLS_")
    without = f"mysql://known:p@127.0.0.1:{server}/heat?ssl_ca={certificates.ca}"
    assert "Access denied" in await _refusal(without)


@pytest.mark.blocks_the_loop("a handshake computes")
async def test_a_server_that_another_authority_vouches_for_is_refused(
    server: int, tmp_path: Path
) -> None:
    other = Certificates.made(tmp_path)
    refusal = await _refusal(f"mysql://heat:p@127.0.0.1:{server}/heat?ssl_ca={other.ca}")
    assert "certificate verify failed" in refusal


@pytest.mark.blocks_the_loop("a handshake computes")
async def test_without_tls_the_user_is_refused(server: int) -> None:
    assert "Access denied" in await _refusal(f"mysql://heat:p@127.0.0.1:{server}/heat")


def test_the_schema_is_made_over_tls(server: int, certificates: Certificates) -> None:
    migrate(f"mysql+pymysql://heat:p@127.0.0.1:{server}/heat?ssl_ca={certificates.ca}")
