"""Whatever goes wrong while a user's template is read is the user's mistake, said as such.

Some of the checks of old end in an error of Python itself (a pattern that does not compile, a
length asked of a number). Where a definition is read as a whole they become
StackValidationFailed, so that no template makes the service fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from heat_core.errors import HeatException, StackValidationFailed


@contextmanager
def users_mistake(*path: Any) -> Iterator[None]:
    """Turn every error but Heat's own, and broken assertions, into StackValidationFailed."""
    try:
        yield
    except (HeatException, AssertionError):
        raise
    except RecursionError as error:
        raise StackValidationFailed(path=list(path), message="It nests too deeply") from error
    except Exception as error:
        raise StackValidationFailed(path=list(path), message=str(error)) from error


@contextmanager
def requests_mistake() -> Iterator[None]:
    """The same for what a request brings, before it is a definition.

    ValueErrors stay what they are: they say what is wrong, and the API answers them with 400
    (rules/f-redirects.md#20); those of codecs do not.
    """
    told: ValueError | None = None
    with users_mistake():
        try:
            yield
        except UnicodeError:
            raise
        except ValueError as error:
            told = error
    if told is not None:
        raise told
