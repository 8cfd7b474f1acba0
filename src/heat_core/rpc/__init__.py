"""The RPC contract: contexts, methods and the wire envelope as pure codecs."""

from heat_core.rpc.context import RequestContext

__all__ = ["RequestContext"]
