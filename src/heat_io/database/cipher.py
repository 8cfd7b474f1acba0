"""Encryption of secret columns, as Heat writes and reads it.

Writing uses `cryptography_decrypt_v1` (Fernet); two older methods are read. The column
`decrypt_method` names the method. Source: facts/crypt-vectors.json (facts).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher as BlockCipher
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.padding import ANSIX923

from heat_core.errors import InvalidEncryptionKey

WRITE_METHOD: Final = "cryptography_decrypt_v1"
_KEY_LENGTH: Final = 32
_BLOCK_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Cipher:
    """Encrypts and decrypts with `[DEFAULT] auth_encryption_key`.

    `encrypt_properties` is `encrypt_parameters_and_properties`: whether hidden parameters and
    resource properties are stored encrypted.
    """

    key: str = field(repr=False)
    encrypt_properties: bool = False

    def encrypt(self, text: str | None) -> tuple[str | None, str | None]:
        """(method, token) of `text`; (None, None) for None."""
        if text is None:
            return None, None
        return WRITE_METHOD, _fernet(self.key).encrypt(text.encode()).decode()

    def decrypt(self, method: str | None, data: str | None) -> str | None:
        """The text behind `data`; None when there is no method or no data.

        Raises InvalidEncryptionKey when the key does not fit or the method is not known; the two
        older methods can't tell a wrong key and raise ValueError then, or give garbage.
        """
        if method is None or data is None:
            return None
        reader = _READERS.get(method)
        if reader is None:
            raise InvalidEncryptionKey()
        return reader(self.key, data)

    def encrypt_values(self, values: Mapping[str, Any] | None) -> dict[str, list[str | None]]:
        """Each value as [method, token of its JSON text] (rules/j-encodings.md#5)."""
        return {name: list(self.encrypt(json.dumps(v))) for name, v in (values or {}).items()}

    def decrypt_values(self, stored: Mapping[str, Any] | None) -> dict[str, Any]:
        """The values behind what `encrypt_values` made; InvalidEncryptionKey on a wrong key."""
        found: dict[str, Any] = {}
        for name, (method, token) in (stored or {}).items():
            try:
                text = self.decrypt(method, token)
            except UnicodeDecodeError:
                raise InvalidEncryptionKey() from None
            found[name] = None if text is None else json.loads(text)
        return found


def _fernet(key: str) -> Fernet:
    doubled = key + key if len(key) < _KEY_LENGTH else key
    material = doubled[:_KEY_LENGTH].encode()
    # Heat writes the key in the standard alphabet where Fernet wants the URL-safe one: the same
    # bytes. A key that is too short even when doubled is a ValueError.
    return Fernet(base64.urlsafe_b64encode(material))


def _read_fernet(key: str, data: str) -> str:
    try:
        return _fernet(key).decrypt(data.encode()).decode()
    except InvalidToken:
        raise InvalidEncryptionKey() from None


def _read_oslo(key: str, data: str) -> str:
    vector, payload = _split(data)
    block = BlockCipher(algorithms.AES(key[:_KEY_LENGTH].encode()), modes.CBC(vector)).decryptor()
    padded = block.update(payload) + block.finalize()
    unpad = ANSIX923(_BLOCK_BYTES * 8).unpadder()
    return (unpad.update(padded) + unpad.finalize())[:-1].decode()


def _read_heat(key: str, data: str) -> str:
    vector, payload = _split(data)
    block = BlockCipher(algorithms.AES(key[:_KEY_LENGTH].encode()), CFB(vector)).decryptor()
    return (block.update(payload) + block.finalize()).decode()


def _split(data: str) -> tuple[bytes, bytes]:
    raw = base64.b64decode(data)
    return raw[:_BLOCK_BYTES], raw[_BLOCK_BYTES:]


_READERS: Final[Mapping[str, Callable[[str, str], str]]] = {
    WRITE_METHOD: _read_fernet,
    "oslo_decrypt_v1": _read_oslo,
    "heat_decrypt": _read_heat,
}
