"""Holds encryption to what Heat encrypted: `python -m tests.conformance.crypt`.

The vectors of facts/crypt-vectors.json; then, with Heat's own crypt module in a process beside
ours: Heat reads what we write, we read what Heat writes, and of the two older formats (which
neither writes any more) both read the same. A line a group with its counts, then what failed.
Exit codes as in tests.conformance.wire.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.decrepit.ciphers.modes import CFB
from cryptography.hazmat.primitives.ciphers import Cipher as BlockCipher
from cryptography.hazmat.primitives.ciphers import algorithms, modes
from cryptography.hazmat.primitives.padding import ANSIX923

from heat_io.database import Cipher
from heat_io.database.cipher import WRITE_METHOD

KEYS = ("0123456789abcdef0123456789abcdef", "twenty-four-byte-key-pad", "forty " * 7)
TEXTS = ("", "hello", "sécret ü ✓", "0123456789abcde", "0123456789abcdef", "x" * 1000, "a\x00\n")

PEER = """
import json, sys
from heat.common import crypt
asked = json.load(sys.stdin)
print(json.dumps({
    "read": [crypt.decrypt(method, token, key) for key, method, token in asked["read"]],
    "written": [crypt.encrypt(text, key) for key, text in asked["write"]],
    "dictionaries": [crypt.decrypted_dict(stored, key) for key, stored in asked["dictionaries"]],
}))
"""


def vectors(recorded: Mapping[str, Any]) -> list[str]:
    """What the recorded tokens gave instead of what Heat has them as."""
    failed = []
    for vector in recorded["vectors"]:
        cipher = Cipher(vector["key"])
        found: tuple[str, Any]
        try:
            if "ciphertext" in vector:
                found = "result", cipher.decrypt(vector["method"], vector["ciphertext"])
            else:
                found = "result", cipher.encrypt("x")
        except Exception as error:  # compared with the recorded one
            found = type(error).__name__, str(error)
        wanted = (
            (vector["error"], vector["message"])
            if "error" in vector
            else ("result", vector["plaintext"] if "plaintext" in vector else vector["result"])
        )
        if found != wanted:
            failed.append(f"{vector['label']}: got {found!r}, wanted {wanted!r}")
    return failed


def dictionaries(recorded: Mapping[str, Any]) -> list[str]:
    """The same for maps of values."""
    failed = []
    for vector in recorded["dict_vectors"]:
        cipher = Cipher(vector.get("key", KEYS[0]))
        wanted = vector.get("message", vector.get("plain") or {})
        try:
            found: Any = cipher.decrypt_values(vector["stored"])
        except Exception as error:  # compared with the recorded one
            found = str(error)
        again = "plain" not in vector or cipher.decrypt_values(
            cipher.encrypt_values(vector["plain"])
        ) == (vector["plain"] or {})
        if found != wanted or not again:
            failed.append(f"{vector['label']}: got {found!r}, wanted {wanted!r}")
    return failed


def with_heat(python: Path) -> Iterator[tuple[str, int, list[str]]]:
    """(group, number of cases, what failed) of what needs Heat beside us."""
    ours = [(key, text, *Cipher(key).encrypt(text)) for key in KEYS for text in TEXTS]
    old = [(key, text, *pair) for key in KEYS for text in TEXTS for pair in _older(key, text)]
    values = {"a": [1, None, {"ü": 2.5}], "b": "", "c": None}
    answer = _ask(
        python,
        {
            "read": [(key, method, token) for key, _, method, token in ours + old],
            "write": [(key, text) for key in KEYS for text in TEXTS],
            "dictionaries": [(key, Cipher(key).encrypt_values(values)) for key in KEYS],
        },
    )
    texts = [text for _, text, _, _ in ours + old]
    differ = _different(texts, answer["read"])
    yield "Heat reads ours", len(ours), [text for at, text in differ if at < len(ours)]
    found = [Cipher(key).decrypt(method, token) for key, _, method, token in old]
    both = _different([text for _, text, _, _ in old], found)
    both += [(at, text) for at, text in differ if at >= len(ours)]
    yield "older formats, Heat and we", 2 * len(old), [text for _, text in both]
    pairs = zip(ours, answer["written"], strict=True)
    read = [
        Cipher(key).decrypt(*written) if written[0] == WRITE_METHOD else written
        for (key, _, _, _), written in pairs
    ]
    wrong = _different([text for _, text, _, _ in ours], read)
    yield "we read Heat's", len(ours), [text for _, text in wrong]
    wrong = _different([values] * len(KEYS), answer["dictionaries"])
    yield "Heat reads our dictionaries", len(KEYS), [text for _, text in wrong]


def _different(wanted: Sequence[Any], found: Sequence[Any]) -> list[tuple[int, str]]:
    pairs = enumerate(zip(wanted, found, strict=True))
    return [(at, f"got {got!r}, wanted {want!r}") for at, (want, got) in pairs if got != want]


def _older(key: str, text: str) -> Iterator[tuple[str, str]]:
    """The text in the formats of old releases, with their key rules."""
    material = key[:32].encode()
    vector = b"\x07" * 16
    padder = ANSIX923(128).padder()
    padded = padder.update(text.encode() + b"\x00") + padder.finalize()
    for method, mode, content in (
        ("oslo_decrypt_v1", modes.CBC(vector), padded),
        ("heat_decrypt", CFB(vector), text.encode()),
    ):
        block = BlockCipher(algorithms.AES(material), mode).encryptor()
        yield method, base64.b64encode(vector + block.update(content) + block.finalize()).decode()


def _ask(python: Path, asked: Mapping[str, Any]) -> Any:
    done = subprocess.run(
        [python, "-c", PEER], input=json.dumps(asked), capture_output=True, text=True, timeout=120
    )
    if done.returncode:
        raise AssertionError(f"Heat's crypt module failed: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def main() -> int:
    """Run and print; the exit code."""
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    source = shared / "facts" / "crypt-vectors.json"
    if not source.exists():
        print(f"no facts at {source}", file=sys.stderr)
        return 2
    recorded = json.loads(source.read_text())
    code = 0

    def tell(name: str, count: int, failed: list[str]) -> None:
        nonlocal code
        print(f"{name}: {count - len(failed)} of {count}", flush=True)
        for text in failed[:20]:
            print(f"  {text}", flush=True)
        code = 1 if failed else code

    tell("crypt vectors", len(recorded["vectors"]), vectors(recorded))
    tell("crypt dictionaries", len(recorded["dict_vectors"]), dictionaries(recorded))
    python = shared / "reference" / "python"
    probe = [python, "-c", "import heat.common.crypt"]
    if not python.exists() or subprocess.run(probe, capture_output=True).returncode:
        print(f"crypt, with Heat beside us: not run: {python} has no Heat")
        return code
    for name, count, failed in with_heat(python):
        tell(f"crypt, {name}", count, failed)
    return code


if __name__ == "__main__":
    sys.exit(main())
