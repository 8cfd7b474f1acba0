"""Heat's native HTTP API."""

from heat_app.native.app import NativeApi, create_app
from heat_app.native.engine_client import EngineClient
from heat_app.native.ports import Authenticator, Engine, Policy, Refusal
from heat_app.native.routes import NOT_YET

__all__ = [
    "NOT_YET",
    "Authenticator",
    "Engine",
    "EngineClient",
    "NativeApi",
    "Policy",
    "Refusal",
    "create_app",
]
