"""Messages as oslo.messaging puts them on the wire: requests, replies and their envelope.

A request with a message id is a call and names the queue that its answer goes to; one without is
a cast. The unique id is the message's own: a message that is published again keeps it, so that
servers can drop what they have had. Ids come in as arguments. Source: facts/rpc.json
(envelope, request_keys, reply_keys), facts/rpc-samples.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heat_core.rpc import codec
from heat_core.rpc.context import RequestContext
from heat_core.rpc.contract import version_accepts
from heat_core.rpc.failure import Failure

ENVELOPE_VERSION = "2.0"
_VERSION_KEY = "oslo.version"
_MESSAGE_KEY = "oslo.message"
_CONTEXT_PREFIX = "_context_"


class MalformedMessage(ValueError):
    """What came from the bus is not a message of the kind that was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call or a cast. `version` is the one that the server's must accept."""

    method: str
    arguments: Mapping[str, Any]
    context: RequestContext
    unique_id: str
    version: str = "1.0"
    message_id: str | None = None
    reply_queue: str | None = None
    monitor_timeout_seconds: float | None = None
    namespace: str | None = None

    @property
    def is_call(self) -> bool:
        return self.message_id is not None

    def to_payload(self) -> dict[str, Any]:
        """The application's part of the message."""
        payload: dict[str, Any] = {
            "method": self.method,
            "args": self.arguments,
            "version": self.version,
            "_unique_id": self.unique_id,
        }
        if self.namespace is not None:
            payload["namespace"] = self.namespace
        if self.is_call:
            payload["_msg_id"] = self.message_id
            payload["_reply_q"] = self.reply_queue
            payload["_timeout"] = self.monitor_timeout_seconds
        for key, value in self.context.to_wire().items():
            payload[_CONTEXT_PREFIX + key] = value
        return payload

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Request:
        """Read a request; MalformedMessage when it names no method."""
        method = payload.get("method")
        if not isinstance(method, str):
            raise MalformedMessage("a request without a method")
        for key in ("_unique_id", "_msg_id", "_reply_q", "version"):
            if not isinstance(payload.get(key), str | None):
                raise MalformedMessage(f"a request whose {key} is no text")
        if not isinstance(payload.get("args"), Mapping | None):
            raise MalformedMessage("a request whose arguments are not a map")
        context = {
            key.removeprefix(_CONTEXT_PREFIX): value
            for key, value in payload.items()
            if key.startswith(_CONTEXT_PREFIX)
        }
        try:
            sender = RequestContext.from_wire(context)
        except TypeError as error:
            raise MalformedMessage("a request without a proper context") from error
        return cls(
            method=method,
            arguments=payload.get("args") or {},
            context=sender,
            unique_id=payload.get("_unique_id") or "",
            version=payload.get("version") or "1.0",
            message_id=payload.get("_msg_id"),
            reply_queue=payload.get("_reply_q"),
            monitor_timeout_seconds=payload.get("_timeout"),
            namespace=payload.get("namespace"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: a result, or the description of a failure.

    `ending` is false for the signs of life of a call that is monitored.
    """

    message_id: str
    unique_id: str
    result: Any = None
    failure: Failure | None = field(default=None)
    ending: bool = True

    def to_payload(self) -> dict[str, Any]:
        """The application's part of the message."""
        return {
            "_msg_id": self.message_id,
            "_unique_id": self.unique_id,
            "ending": self.ending,
            "failure": None if self.failure is None else self.failure.to_text(),
            "result": self.result,
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Reply:
        """Read a reply; MalformedMessage when it answers nothing."""
        message_id = payload.get("_msg_id")
        if not isinstance(message_id, str):
            raise MalformedMessage("a reply without a message id")
        text = payload.get("failure")
        try:
            failure = Failure.from_text(text) if text else None
        except (AttributeError, TypeError, ValueError) as error:
            raise MalformedMessage("a reply with a malformed failure") from error
        return cls(
            message_id=message_id,
            unique_id=payload.get("_unique_id") or "",
            result=payload.get("result"),
            failure=failure,
            ending=bool(payload.get("ending", True)),
        )

    def value(self) -> Any:
        """The result; raises the failure as the caller is to see it."""
        if self.failure is not None:
            raise self.failure.rebuild()
        return self.result


def seal(payload: Mapping[str, Any]) -> str:
    """The body of a message: the payload's JSON text within the envelope's."""
    return codec.dumps({_VERSION_KEY: ENVELOPE_VERSION, _MESSAGE_KEY: codec.dumps(payload)})


def unseal(body: str | bytes) -> dict[str, Any]:
    """The payload of a message's body.

    A body without an envelope is the payload itself, as notifications may be. MalformedMessage
    when it is no JSON map, or the envelope's version is not ours.
    """
    payload = _read_map(body)
    if _VERSION_KEY not in payload or _MESSAGE_KEY not in payload:
        return payload
    version = payload[_VERSION_KEY]
    if not isinstance(version, str) or not version_accepts(ENVELOPE_VERSION, version):
        raise MalformedMessage(f"an envelope of version {version}")
    return _read_map(payload[_MESSAGE_KEY])


def _read_map(text: Any) -> dict[str, Any]:
    try:
        value = codec.loads(text)
    except (TypeError, ValueError) as error:
        raise MalformedMessage("a message that is not JSON") from error
    if not isinstance(value, dict):
        raise MalformedMessage("a message that is not a map")
    return value
