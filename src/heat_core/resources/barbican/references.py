"""What containers ask of their references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heat_core.resources.demands import refuse


def check_references(references: Sequence[Any]) -> None:
    """No secret has two places in a container."""
    if len(references) != len(set(references)):
        refuse("Duplicate refs are not allowed.")
