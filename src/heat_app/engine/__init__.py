"""The engine's RPC endpoints: one module a noun, over the database and the drivers."""

from heat_app.engine.ports import (
    Attributes,
    Definitions,
    Parts,
    Procedures,
    StackCredentials,
    StackOperations,
    StackValidator,
)
from heat_app.engine.reporting import report, service_record
from heat_app.engine.service import EngineService
from heat_app.engine.serving import serve
from heat_app.engine.settings import EngineSettings
from heat_app.engine.validator import CallersProcedures, DefinitionValidator

__all__ = [
    "Attributes",
    "CallersProcedures",
    "DefinitionValidator",
    "Definitions",
    "EngineService",
    "EngineSettings",
    "Parts",
    "Procedures",
    "StackCredentials",
    "StackOperations",
    "StackValidator",
    "report",
    "serve",
    "service_record",
]
