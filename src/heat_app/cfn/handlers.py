"""What does the actions of the API: none is built yet.

A handler is added to HANDLERS under the name of its action (heat_app.cfn.routes).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from heat_app.config import Settings
from heat_app.web.answers import Answer
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest

__all__ = ["HANDLERS", "Call", "Handler"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An action at work: its name, the request with its body, and the parameters in both."""

    action: str
    request: ApiRequest
    parameters: Parameters
    settings: Settings


type Handler = Callable[[Call], Awaitable[Answer]]

HANDLERS: Mapping[str, Handler] = {}
