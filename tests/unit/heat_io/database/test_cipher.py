"""Encryption against what Heat encrypted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core.errors import InvalidEncryptionKey
from heat_io.database import Cipher
from heat_io.database.cipher import WRITE_METHOD

KEY = "abcdefghijklmnopqrstuvwxyz012345"


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "facts" / "crypt-vectors.json").read_text())


def test_every_recorded_token_reads_as_heat_reads_it(recorded: dict[str, Any]) -> None:
    read = 0
    for vector in recorded["vectors"]:
        if "ciphertext" not in vector:
            continue
        cipher = Cipher(vector["key"])
        if "error" in vector:
            kind = {
                "InvalidEncryptionKey": InvalidEncryptionKey,
                "UnicodeDecodeError": UnicodeDecodeError,
                "ValueError": ValueError,
            }[vector["error"]]
            with pytest.raises(kind) as raised:
                cipher.decrypt(vector["method"], vector["ciphertext"])
            assert str(raised.value) == vector["message"], vector["label"]
        else:
            found = cipher.decrypt(vector["method"], vector["ciphertext"])
            assert found == vector.get("plaintext", vector.get("result")), vector["label"]
        read += 1
    assert read == 28


def test_recorded_dictionaries_read_as_heat_reads_them(recorded: dict[str, Any]) -> None:
    first, wrong, empty = recorded["dict_vectors"]
    assert Cipher(first["key"]).decrypt_values(first["stored"]) == first["plain"]
    with pytest.raises(InvalidEncryptionKey) as raised:
        Cipher(wrong["key"]).decrypt_values(wrong["stored"])
    assert str(raised.value) == wrong["message"]
    assert Cipher(KEY).encrypt_values(empty["plain"]) == empty["stored"] == {}
    assert Cipher(KEY).decrypt_values(None) == {}


@pytest.mark.parametrize("key", [KEY, "twenty-char-key-1234", KEY + "tail"])
def test_what_is_written_reads_back(key: str) -> None:
    cipher = Cipher(key)
    method, token = cipher.encrypt("sécret")
    assert method == WRITE_METHOD
    assert "cret" not in str(token)
    assert cipher.decrypt(method, token) == "sécret"
    sealed = cipher.encrypt_values({"a": [1, None], "b": ""})
    assert cipher.decrypt_values(sealed) == {"a": [1, None], "b": ""}


def test_nothing_stays_nothing() -> None:
    assert Cipher(KEY).encrypt(None) == (None, None)
    assert Cipher(KEY).decrypt(WRITE_METHOD, None) is None
    assert Cipher(KEY).decrypt(None, "x") is None


def test_an_unknown_method_and_a_short_key_are_errors() -> None:
    with pytest.raises(InvalidEncryptionKey):
        Cipher(KEY).decrypt("rot13", "x")
    with pytest.raises(ValueError, match="Fernet key must be 32 url-safe base64-encoded bytes"):
        Cipher("short").encrypt("x")


def test_garbled_dictionaries_are_a_key_error() -> None:
    with pytest.raises(InvalidEncryptionKey):
        Cipher("notgood but just long enough i t").decrypt_values(
            {"a": ["heat_decrypt", "AQEBAQEBAQEBAQEBAQEBAXPBitf9"]}
        )


def test_the_key_stays_out_of_the_repr() -> None:
    assert KEY not in repr(Cipher(KEY))
