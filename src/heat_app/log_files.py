"""Log files that can't be written are no reason to end.

Of the handlers that oslo.log puts up for a file, the one that watches it (WatchedFileHandler of
logging.handlers; log_rotation_type = none) opens the file anew when it is not at its path any more,
and what goes wrong then is raised to whoever logs. Those that rotate it say each failure with
a traceback, and go on writing to a file that was removed. So all are told what to do instead:
standard error gets one sentence, and the file is tried again with each record.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

__all__ = ["keep_on_logging"]

log = logging.getLogger(__name__)

type _Use = Callable[[logging.LogRecord], None]


def keep_on_logging(handler: logging.FileHandler) -> None:
    """From now on `handler` raises nothing when its file can't be opened or written.

    Records are lost meanwhile; the first one that is written again is followed by how many.
    """
    if not isinstance(handler.emit, _Keeping):
        keeping = _Keeping(handler, handler.emit, handler.handleError)
        handler.emit = keeping  # type: ignore[method-assign] # of this one alone
        handler.handleError = keeping.failed  # type: ignore[method-assign] # of this one alone


@dataclass(slots=True)
class _Keeping:
    """A handler's way to emit records. The handler's lock is held while it is used."""

    handler: logging.FileHandler
    emit: _Use
    handle_error: _Use
    lost: int = 0
    has_failed: bool = False

    def __call__(self, record: logging.LogRecord) -> None:
        """Write the record, or count it as lost."""
        self.has_failed = False
        self._notice_a_removed_file()
        try:
            self.emit(record)
        except OSError:
            self.failed(record)
        if self.lost and not self.has_failed:
            lost, self.lost = self.lost, 0
            self.emit(_about(lost))

    def failed(self, record: logging.LogRecord) -> None:
        """Deal with the exception that is being handled: logging calls it for some of them."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.handle_error(record)
            return
        self.has_failed = True
        if not self.lost:
            _say(
                f"The log file {self.handler.baseFilename} can't be written "
                f"({error.strerror or error}): records are lost until it can be."
            )
        self.lost += 1

    def _notice_a_removed_file(self) -> None:
        stream = self.handler.stream
        if stream is None:
            return
        try:
            os.stat(self.handler.baseFilename)
        except FileNotFoundError:
            # What closes it may write: that is no loss, the file is gone.
            with suppress(OSError):
                stream.close()
            self.handler.stream = None  # opened with the next record
        except OSError:
            pass  # to say so is up to who writes


def _say(sentence: str) -> None:
    # Standard error may be gone too, or be no file.
    with suppress(OSError, ValueError):
        print(sentence, file=sys.stderr, flush=True)


def _about(lost: int) -> logging.LogRecord:
    fields = {"fields": {"records": lost}}
    return log.makeRecord(
        log.name, logging.WARNING, __file__, 0, "records were lost", (), None, extra=fields
    )
