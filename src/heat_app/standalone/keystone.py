"""The Keystone beside `heat-trio up`, seen from the parent: configuration, start, health, end."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from heat_app.standalone.data_folder import DataFolder, Secrets
from heat_app.standalone.problem import StartProblem

__all__ = ["REGION", "Keystone", "KeystoneEnded"]

REGION = "RegionOne"
STOP_SECONDS = 2.0

# Each stack's trust needs a token by password. Slow hashes guard passwords that can be guessed;
# ours are long and random, so the fewest rounds do.
_CONFIGURATION = """\
[database]
connection = sqlite:///{folder}/keystone.sqlite
[identity]
password_hash_rounds = 4
[token]
provider = fernet
expiration = 86400
[fernet_tokens]
key_repository = {folder}/fernet-keys
[fernet_receipts]
key_repository = {folder}/fernet-keys
[credential]
key_repository = {folder}/credential-keys
[cache]
enabled = true
backend = dogpile.cache.memory
[oslo_messaging_notifications]
driver = noop
"""


class KeystoneEnded(Exception):
    """Keystone is gone while it was needed."""


@dataclass(slots=True)
class Keystone:
    """A running child process. The sockets it serves belong to it alone after `start`."""

    process: subprocess.Popen[bytes]
    log: str
    data: DataFolder
    state: str

    @classmethod
    def start(
        cls,
        data: DataFolder,
        sock: socket.socket,
        *,
        secrets: Secrets,
        identity_url: str,
        orchestration_url: str,
    ) -> Keystone:
        """Start the process; it queues connections from now on and answers in a second or three.

        Call it outside of Trio, which is not even imported here: Keystone takes the longest.
        """
        folder = data.path / "keystone"
        wanted = {
            "region": REGION,
            "identity_url": identity_url,
            "orchestration_url": orchestration_url,
            "passwords": secrets.passwords,
        }
        configuration = _CONFIGURATION.format(folder=str(folder).replace("$", "$$"))
        config = data.write("keystone/keystone.conf", configuration)
        identity = data.write("keystone/identity.json", json.dumps(wanted))
        state = hashlib.sha256((configuration + json.dumps(wanted)).encode()).hexdigest()
        done = folder / "provisioned"
        complete = done.exists() and done.read_text() == state
        log = folder / "keystone.log"
        arguments = [str(config), "-" if complete else str(identity), str(sock.fileno())]
        with log.open("ab") as errors:
            os.fchmod(errors.fileno(), 0o600)
            process = subprocess.Popen(
                [sys.executable, "-m", "heat_app.standalone.keystone_child", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                pass_fds=[sock.fileno()],
                # Ctrl-C in a terminal goes to the whole group; this one ends with its pipe.
                start_new_session=True,
                cwd=folder,
                env={
                    **{name: value for name, value in os.environ.items() if name[:3] != "OS_"},
                    # Beside trio, eventlet fails to import with its own DNS.
                    "EVENTLET_NO_GREENDNS": "yes",
                    "PYTHONSAFEPATH": "1",
                },
            )
        sock.close()
        return cls(process, str(log), data, state)

    async def wait_ready(self) -> None:
        """Return when it answers requests; StartProblem with its reason when it can't."""
        answer: dict[str, Any] = {}
        # Closed here and now: a stream that is closed later makes the pipe block for `watch`, too.
        async with aclosing(self._lines()) as lines:
            async for line in lines:
                answer = json.loads(line)
                break
        if not answer.get("ready"):
            reason = answer.get("error", "it ended without a word")
            raise StartProblem(f"Keystone did not start ({reason}), see {self.log}.")
        self.data.write("keystone/provisioned", self.state)

    async def watch(self) -> None:
        """Raise KeystoneEnded when the process ends by itself; runs until cancelled."""
        async for _ in self._lines():
            pass
        status = self.process.wait()
        raise KeystoneEnded(f"Keystone ended by itself (status {status}), see {self.log}.")

    async def _lines(self) -> AsyncGenerator[bytes]:
        """What it says on its standard output, until that closes with its end."""
        import trio

        assert self.process.stdout is not None
        async with trio.lowlevel.FdStream(os.dup(self.process.stdout.fileno())) as stream:
            unread = b""
            async for piece in stream:
                *whole, unread = (unread + piece).split(b"\n")
                for line in whole:
                    yield line

    def stop(self) -> None:
        """End the process: by closing its pipe, then the hard way. Blocks for a moment."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
