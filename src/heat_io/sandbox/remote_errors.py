"""Errors of a worker, raised again in the process that asked."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any


def rebuilt(name: str, args: Sequence[Any], text: str) -> Exception:
    """An error of the class named, with the same text.

    Classes of Python and `re` are those themselves, any other is one made here: its name is what a
    user sees of it.
    """
    cls = _class_named(name)
    for arguments in (args, (text,)):
        try:
            error = cls(*arguments)
        except Exception:  # a class that asks for other arguments
            continue
        if str(error) == text:
            return error
    return _made(name)(text)


def _class_named(name: str) -> type[Exception]:
    if name == re.error.__name__:
        return re.error
    found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, Exception):
        return found
    return _made(name)


@lru_cache(maxsize=64)
def _made(name: str) -> type[Exception]:
    return type(name, (Exception,), {})
