from __future__ import annotations

import bz2
import zlib

import pytest

from heat_core.rpc import MalformedMessage, seal
from heat_io.messaging.amqp.consuming import Arrival

_BODY = seal({"method": "m"}).encode()


@pytest.mark.parametrize(
    "arrival",
    [
        Arrival(1, _BODY),
        Arrival(1, zlib.compress(_BODY), "application/x-gzip"),
        Arrival(1, bz2.compress(_BODY), "application/x-bz2"),
    ],
)
def test_payloads_packed_or_not(arrival: Arrival) -> None:
    assert arrival.payload() == {"method": "m"}


@pytest.mark.parametrize(
    "arrival",
    [
        Arrival(1, _BODY, "application/x-gzip"),
        Arrival(1, _BODY, "application/x-bz2"),
        Arrival(1, _BODY, "application/zstd"),
        Arrival(1, zlib.compress(b"nonsense"), "application/x-gzip"),
    ],
)
def test_what_cannot_be_unpacked_is_malformed(arrival: Arrival) -> None:
    with pytest.raises(MalformedMessage):
        arrival.payload()
