"""A service's refusal, thrown into the procedure that asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ServiceError(Exception):
    """A service answered with a status of 400 or above, or could not be reached (status 0).

    `message` is the service's own text; `error_class` the class name that OpenStack's client
    library gives this answer, which is what Heat shows ("Conflict", "NotFound", ...).
    `maybe_done`: the request changes something and may have taken effect in spite of the error, so
    look before asking again (heat_core.procedure.answers). `away`: the service could not be asked,
    and nothing has come of the request, so whoever has time may send it again later.
    """

    def __init__(
        self,
        service: str,
        status: int,
        message: str,
        *,
        error_class: str,
        text: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        maybe_done: bool = False,
        away: bool = False,
    ) -> None:
        super().__init__(text)
        self.service = service
        self.status = status
        self.message = message
        self.error_class = error_class
        self.body = body
        self.headers = dict(headers or {})
        self.maybe_done = maybe_done
        self.away = away

    @property
    def lost(self) -> bool:
        """Whether the connection broke while the service was at the request."""
        return self.maybe_done and self.error_class == "ConnectFailure"

    @property
    def not_found(self) -> bool:
        return self.status == 404

    @property
    def conflict(self) -> bool:
        return self.status == 409
