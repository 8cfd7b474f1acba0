"""Notifications as oslo.messaging puts them on the bus.

Whoever listens is anybody: the context says who acted, and holds neither secrets nor addresses.
Source: facts/events-notifications.json (oslo_notification), facts/rpc-samples.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from heat_core.rpc import codec
from heat_core.rpc.context import RequestContext
from heat_core.rpc.envelope import seal

_CONTEXT_PREFIX: Final = "_context_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """Something that happened. `timestamp` is naive UTC, `priority` upper case as in "INFO"."""

    event_type: str
    priority: str
    payload: Mapping[str, Any]
    publisher_id: str
    context: RequestContext
    timestamp: datetime
    message_id: str
    unique_id: str

    def message(self) -> dict[str, Any]:
        """What is told, without the context of whoever did it: this goes to logs."""
        return {
            "message_id": self.message_id,
            "publisher_id": self.publisher_id,
            "event_type": self.event_type,
            "priority": self.priority,
            "payload": dict(self.payload),
            "timestamp": str(self.timestamp),
        }

    def body(self, *, enveloped: bool) -> str:
        """The body of the message: in the envelope of format 2.0, or bare as in 1.0."""
        content = self.message() | {"_unique_id": self.unique_id}
        for key, value in _redacted(self.context).to_wire().items():
            content[_CONTEXT_PREFIX + key] = value
        return seal(content) if enveloped else codec.dumps(content)


def _redacted(context: RequestContext) -> RequestContext:
    return replace(
        context,
        auth_token=None,
        username=None,
        password=None,
        aws_creds=None,
        trust_id=None,
        trustor_user_id=None,
        auth_token_info=None,
        auth_url=None,
        region_name=None,
        # Facts about one request, which Heat's notifier leaves out too.
        read_only=False,
        show_deleted=False,
        is_admin_project=True,
        resource_uuid=None,
    )
