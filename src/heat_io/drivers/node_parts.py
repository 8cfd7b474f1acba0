"""What node drivers are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from heat_core.stack.ids import EngineId
from heat_io.database import Database
from heat_io.drivers.attributes import Attributes
from heat_io.drivers.children import ChildParts
from heat_io.drivers.definitions import Definitions, Graphs
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.ports import CredentialsSource, EventListener, Liveness, NobodyListens, Now
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.drivers.rendezvous import Rendezvous
from heat_io.drivers.slots import Slots
from heat_io.drivers.traversal_driver import TraversalDriver
from heat_io.drivers.visit_loads import VisitLoads
from heat_io.messaging import Bus


@dataclass(frozen=True, slots=True)
class NodeParts:
    """What a node driver is made of."""

    database: Database
    bus: Bus
    engine_id: EngineId
    writes: NodeWrites
    definitions: Definitions
    graphs: Graphs
    loads: VisitLoads
    attributes: Attributes
    procedures: ProcedureDriver
    rendezvous: Rendezvous
    traversals: TraversalDriver
    credentials: CredentialsSource
    liveness: Liveness
    children: ChildParts
    slots: Slots
    now: Now
    retry_limit: int
    takes_over: bool = True
    listener: EventListener = field(default_factory=NobodyListens)
    keeps_visits: Callable[[], bool] = lambda: False
    """whether a visit that follows from another one may begin in this process"""
