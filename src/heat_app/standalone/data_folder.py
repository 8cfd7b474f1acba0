"""The folder that holds everything `heat-trio up` keeps: one process at a time may use it.

lock            held with flock while a process lives, however it ends; says who
secrets.json    random passwords and the encryption key, made once
clouds.yaml     for openstack clients
heat.sqlite     Heat's database        heat-trio.log   the log of API and engine
keystone/       Keystone's configuration, database, keys and log
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from heat_app.standalone.problem import StartProblem

__all__ = ["DataFolder", "Secrets", "default_folder"]

USERS = ("admin", "heat", "heat_domain_admin", "demo", "alt_demo", "demo_reader")


def default_folder() -> Path:
    """${XDG_DATA_HOME:-~/.local/share}/heat-trio."""
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "heat-trio"


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """What was made at random on the first start."""

    passwords: dict[str, str]
    encryption_key: str


class DataFolder:
    """An opened folder; `close` (or the end of the process) lets the next one in."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def open(cls, path: Path, *, user: str = "heat-trio up") -> DataFolder:
        """Make the folder if need be, for this user only, and lock it; `user` is told to others.

        Raises StartProblem: not a folder, not writable, or in use, and by whom.
        """
        path = path.expanduser().absolute()
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if stat.S_IMODE(path.stat().st_mode) & 0o077:
                path.chmod(0o700)
            lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            # Opening for writing is not enough: root of a read-only mount, or a folder without
            # the right to make files when the lock exists already.
            probe = path / f".writable-{os.getpid()}"
            probe.touch(mode=0o600)
            probe.unlink()
        except (FileExistsError, NotADirectoryError):
            raise StartProblem(f"{path} is not a folder: choose another with --data.") from None
        except OSError as error:
            raise StartProblem(
                f"the data folder {path} is not writable ({error.strerror}):"
                " choose another with --data."
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(lock, 200, 0).decode(errors="replace").strip()
            os.close(lock)
            raise StartProblem(
                f"the data folder {path} is in use by {holder or 'another process'}:"
                " stop that one or choose another with --data."
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{user}, process {os.getpid()}\n".encode(), 0)
        return cls(path, lock)

    @staticmethod
    def holder(path: Path) -> str | None:
        """Who uses the folder right now; None for nobody."""
        try:
            lock = os.open(path.expanduser().absolute() / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return os.pread(lock, 200, 0).decode(errors="replace").strip() or "another process"
        else:
            return None
        finally:
            os.close(lock)

    def close(self) -> None:
        """Let another process use the folder."""
        os.ftruncate(self._lock, 0)
        os.close(self._lock)

    def secrets(self) -> Secrets:
        """The passwords and the key, made on first use."""
        path = self.path / "secrets.json"
        if path.exists():
            stored = json.loads(path.read_text())
        else:
            stored = {"passwords": {}, "encryption_key": secrets.token_hex(16)}
        missing = [user for user in USERS if user not in stored["passwords"]]
        if missing:
            stored["passwords"].update({user: secrets.token_urlsafe(18) for user in missing})
            self.write("secrets.json", json.dumps(stored, indent=1))
        return Secrets(stored["passwords"], stored["encryption_key"])

    def write(self, name: str, text: str) -> Path:
        """Put a file there for this user only, whole or not at all; returns its path."""
        path = self.path / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = path.with_name(path.name + ".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        return path
