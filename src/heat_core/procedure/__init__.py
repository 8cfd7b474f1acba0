"""Procedures: flows that read as a sequence, stepped without an event loop (core contract 4)."""

from heat_core.procedure.errors import ServiceError
from heat_core.procedure.io import ProcedureIO
from heat_core.procedure.requests import (
    All,
    Datum,
    Entropy,
    Evaluate,
    HttpAnswer,
    HttpCall,
    Pause,
    Request,
    Sleep,
    StoreCreated,
    StoreData,
)
from heat_core.procedure.run import Finished, ProcedureRun

__all__ = [
    "All",
    "Datum",
    "Entropy",
    "Evaluate",
    "Finished",
    "HttpAnswer",
    "HttpCall",
    "Pause",
    "ProcedureIO",
    "ProcedureRun",
    "Request",
    "ServiceError",
    "Sleep",
    "StoreCreated",
    "StoreData",
]
