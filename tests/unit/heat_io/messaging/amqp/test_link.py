from __future__ import annotations

import logging
import ssl
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp.link import Link
from heat_io.messaging.amqp.session import Session
from heat_io.messaging.amqp.settings import TlsSettings
from tests.broker import Gate, VirtualHost, until


async def _gates(nursery: trio.Nursery, place: VirtualHost, count: int) -> list[Gate]:
    gates = [Gate(place.address) for _ in range(count)]
    for gate in gates:
        await nursery.start(gate.run)
    return gates


async def _another(link: Link, before: Session) -> Session:
    await until(lambda: link.is_up and link._session is not before)
    return await link.session()


async def test_a_lost_connection_comes_back(
    place: VirtualHost, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        (gate,) = await _gates(nursery, place, 1)
        link = Link(loop, place.settings(addresses=(gate.address,)))
        assert not link.is_up
        nursery.start_soon(link.run)
        first = await link.session()
        assert link.is_up
        gate.cut()
        await first.attend()  # ends with the session
        assert first.is_lost
        await _another(link, first)
        assert link.is_up
        nursery.cancel_scope.cancel()
    assert "the connection to the broker is lost" in caplog.text


async def test_the_next_host_takes_over(place: VirtualHost) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        one, two = await _gates(nursery, place, 2)
        settings = place.settings(addresses=(one.address, two.address))
        link = Link(loop, settings, shuffle=lambda addresses: None)
        nursery.start_soon(link.run)
        session = await link.session()
        assert (one.accepted, two.accepted) == (1, 0)
        one.refusing = True
        one.cut()
        await _another(link, session)
        assert two.accepted == 1
        nursery.cancel_scope.cancel()


async def test_a_broker_that_is_not_there_is_tried_again(
    place: VirtualHost, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        (gate,) = await _gates(nursery, place, 1)
        gate.refusing = True
        link = Link(loop, place.settings(addresses=(gate.address,)))
        nursery.start_soon(link.run)
        await until(lambda: gate.accepted >= 3)
        assert not link.is_up
        gate.refusing = False
        with trio.fail_after(10):
            await link.session()
        nursery.cancel_scope.cancel()
    assert _troubles(caplog) == {"no connection to the broker"}


def _troubles(caplog: pytest.LogCaptureFixture) -> set[str]:
    """What the link has said that an operator has to know; successes are for whoever asks."""
    return {
        record.message
        for record in caplog.records
        if record.name == "heat_io.messaging.amqp.link" and record.levelno >= logging.WARNING
    }


async def test_a_wrong_password_is_said(
    place: VirtualHost, caplog: pytest.LogCaptureFixture
) -> None:
    address = replace(place.address, password="not-the-password")
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        link = Link(loop, place.settings(addresses=(address,), retry_seconds=100.0))
        nursery.start_soon(link.run)
        await until(lambda: "no connection to the broker" in caplog.text)
        nursery.cancel_scope.cancel()
    (record,) = [one for one in caplog.records if one.message == "no connection to the broker"]
    fields: Any = record
    assert "refused" in fields.fields["reason"].lower()
    assert "not-the-password" not in caplog.text


async def test_a_session_whose_call_hangs_is_given_up(place: VirtualHost) -> None:
    async with AsyncExitStack() as stack:
        loop = await stack.enter_async_context(open_asyncio_loop())
        nursery = await stack.enter_async_context(trio.open_nursery())
        (gate,) = await _gates(nursery, place, 1)
        link = Link(loop, place.settings(addresses=(gate.address,), request_seconds=0.3))
        nursery.start_soon(link.run)
        session = await link.session()
        gate.freeze()
        await session.delete_queue("whatever")  # never answered
        assert session.is_lost
        gate.thaw()
        await _another(link, session)
        nursery.cancel_scope.cancel()


async def test_hosts_are_begun_with_at_random(place: VirtualHost) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        one, two = await _gates(nursery, place, 2)
        settings = place.settings(addresses=(one.address, two.address))
        link = Link(loop, settings, shuffle=lambda addresses: addresses.reverse())
        nursery.start_soon(link.run)
        await link.session()
        assert (one.accepted, two.accepted) == (0, 1)
        nursery.cancel_scope.cancel()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ca.pem, an authority, and server.pem, its certificate for "localhost"."""
    folder = tmp_path_factory.mktemp("certificates")
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("authority", authority_key, "authority", authority_key)
    server_key = ec.generate_private_key(ec.SECP256R1())
    server = _certificate("localhost", server_key, "authority", authority_key)
    plain = serialization.NoEncryption()
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "ca.pem").write_bytes(authority.public_bytes(pem))
    (folder / "server.pem").write_bytes(
        server_key.private_bytes(pem, pkcs8, plain) + server.public_bytes(pem)
    )
    return folder


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
) -> x509.Certificate:
    def called(common_name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])

    now = datetime.now(UTC)
    is_authority = name == issuer
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    issued_by = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(called(name))
        .issuer_name(called(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(issued_by, critical=False)
        .add_extension(_key_usage(is_authority), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )


def _key_usage(is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


@pytest.mark.parametrize(
    ("host", "with_authority", "verify_host", "works"),
    [
        ("localhost", True, True, True),
        ("127.0.0.1", True, True, False),
        ("127.0.0.1", True, False, True),
        ("localhost", False, True, False),
    ],
)
@pytest.mark.blocks_the_loop("the authorities' file of the system is large")
async def test_connections_over_tls(
    place: VirtualHost,
    certificates: Path,
    host: str,
    with_authority: bool,
    verify_host: bool,
    works: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "server.pem")
    gate = Gate(place.address, host=host, tls=context)
    authority = str(certificates / "ca.pem") if with_authority else None
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        await nursery.start(gate.run)
        tls = TlsSettings(ca_file=authority, verify_host=verify_host)
        link = Link(loop, place.settings(addresses=(gate.address,), tls=tls))
        nursery.start_soon(link.run)
        await until(lambda: link.is_up or "no connection to the broker" in caplog.text)
        assert link.is_up is works
        nursery.cancel_scope.cancel()
    assert ("certificate verify failed" in caplog.text) is not works
