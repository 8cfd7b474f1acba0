"""The RPC contract: contexts, methods and the wire envelope as pure codecs."""

from heat_core.rpc.codec import dumps, loads
from heat_core.rpc.context import RequestContext
from heat_core.rpc.contract import (
    ENGINE_METHODS,
    LISTENER_METHODS,
    REQUIRED,
    WORKER_METHODS,
    Method,
    Topic,
    version_accepts,
)
from heat_core.rpc.envelope import MalformedMessage, Reply, Request, seal, unseal
from heat_core.rpc.failure import (
    CallTimeout,
    Failure,
    MessagingError,
    NoSuchMethod,
    RemoteError,
    UnsupportedVersion,
    remote_failure,
)

__all__ = [
    "ENGINE_METHODS",
    "LISTENER_METHODS",
    "REQUIRED",
    "WORKER_METHODS",
    "CallTimeout",
    "Failure",
    "MalformedMessage",
    "MessagingError",
    "Method",
    "NoSuchMethod",
    "RemoteError",
    "Reply",
    "Request",
    "RequestContext",
    "Topic",
    "UnsupportedVersion",
    "dumps",
    "loads",
    "remote_failure",
    "seal",
    "unseal",
    "version_accepts",
]
