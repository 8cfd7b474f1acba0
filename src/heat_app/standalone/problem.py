"""Why `heat-trio up` can't start here."""

from __future__ import annotations


class StartProblem(Exception):
    """Something on this machine is in the way; the text is one sentence for the user (exit 2)."""
