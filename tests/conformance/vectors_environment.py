"""Runs the kinds of environment.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def run_merge(given: Mapping[str, Any]) -> dict[str, Any]:
    return {}


RUNNERS: dict[str, Any] = {}
