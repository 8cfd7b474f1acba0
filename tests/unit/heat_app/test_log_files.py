"""A log file's folder goes away and comes back, under each handler that oslo.log has for files."""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Callable, Iterator
from logging.handlers import RotatingFileHandler, TimedRotatingFileHandler, WatchedFileHandler
from pathlib import Path

import pytest

from heat_app.log_files import keep_on_logging

MAKERS = (WatchedFileHandler, RotatingFileHandler, TimedRotatingFileHandler)


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    made = logging.Logger("here", logging.INFO)
    yield made
    for handler in made.handlers:
        handler.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder / "x.log"


@pytest.mark.parametrize("make", MAKERS)
def test_a_folder_that_goes_away_and_comes_back(
    make: Callable[[Path], logging.FileHandler],
    file: Path,
    logger: logging.Logger,
    capsys: pytest.CaptureFixture[str],
) -> None:
    handler = make(file)
    keep_on_logging(handler)
    logger.addHandler(handler)
    logger.info("one")
    for number in range(2):
        shutil.rmtree(file.parent)
        logger.info("lost")
        logger.info("lost too")
        said = capsys.readouterr().err
        assert said == (
            f"The log file {file} can't be written (No such file or directory): records are lost "
            "until it can be.\n"
        ), number
        file.parent.mkdir()
        logger.info("two")
        logger.info("three")
        assert file.read_text() == "two\nrecords were lost\nthree\n"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("make", MAKERS)
def test_a_file_alone_that_goes_away_is_made_anew(
    make: Callable[[Path], logging.FileHandler], file: Path, logger: logging.Logger
) -> None:
    handler = make(file)
    keep_on_logging(handler)
    keep_on_logging(handler)  # once is enough
    logger.addHandler(handler)
    logger.info("one")
    file.rename(file.with_suffix(".1"))
    logger.info("two")
    assert file.read_text() == "two\n"
    assert file.with_suffix(".1").read_text() == "one\n"


def test_a_full_disk_is_said_once(
    file: Path,
    logger: logging.Logger,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler = WatchedFileHandler(file)
    keep_on_logging(handler)
    logger.addHandler(handler)

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(handler, "flush", full)
        logger.info("one")
        logger.info("two")
    assert capsys.readouterr().err.count("No space left on device") == 1


def test_other_errors_are_logging_s_own(
    file: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = WatchedFileHandler(file)
    keep_on_logging(handler)
    logger.addHandler(handler)
    logger.info("%s and %s", "one")
    logger.info("two")
    assert "Logging error" in capsys.readouterr().err
    assert file.read_text() == "two\n"
