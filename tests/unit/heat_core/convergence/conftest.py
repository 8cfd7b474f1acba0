"""Rows for the machines, and the recorded states of Heat."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
sys.path.insert(0, str(Path(__file__).parent))

import recorded_states
from recorded_states import Recorded


@pytest.fixture
def recorded(shared: Path) -> Sequence[Recorded]:
    """Every recorded scenario."""
    return recorded_states.scenarios(shared)
