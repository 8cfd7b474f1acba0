"""Procedures: flows that read as a sequence, stepped without an event loop (core contract 4)."""

from heat_core.procedure.errors import ServiceError
from heat_core.procedure.io import ProcedureIO
from heat_core.procedure.requests import (
    All,
    CheckChild,
    ChildRequest,
    ChildState,
    CreateChild,
    Datum,
    DeleteChild,
    Entropy,
    Evaluate,
    FindChild,
    HttpAnswer,
    HttpCall,
    LookAtChild,
    Pause,
    Request,
    Sleep,
    StoreCreated,
    StoreData,
    UpdateChild,
)
from heat_core.procedure.run import Finished, ProcedureRun

__all__ = [
    "All",
    "CheckChild",
    "ChildRequest",
    "ChildState",
    "CreateChild",
    "Datum",
    "DeleteChild",
    "Entropy",
    "Evaluate",
    "FindChild",
    "Finished",
    "HttpAnswer",
    "HttpCall",
    "LookAtChild",
    "Pause",
    "ProcedureIO",
    "ProcedureRun",
    "Request",
    "ServiceError",
    "Sleep",
    "StoreCreated",
    "StoreData",
    "UpdateChild",
]
