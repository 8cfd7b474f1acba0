"""Heat's database: tables, migrations, one module an aggregate, and the write lanes.

`Database.open(url)` gives `read`, `transaction` and `submit`; each takes plain functions of a
SQLAlchemy Connection. The aggregates' functions take the connection first and deal in records.
"""

from heat_io.database import (
    events,
    nesting,
    properties_data,
    recovery,
    resource_data,
    resource_removal,
    resources,
    services,
    stack_lists,
    stack_locks,
    stacks,
    sync_points,
    tags,
    templates,
    user_creds,
    visits,
)
from heat_io.database.ambient import Ambient, Retention, ambient
from heat_io.database.cipher import Cipher
from heat_io.database.database import Database, executor_for
from heat_io.database.events import EventQuery
from heat_io.database.executor import Executor, Unit
from heat_io.database.failures import CommitUnknown, Conflict, ConnectionLost, DatabaseFailure
from heat_io.database.held_updates import (
    HeldId,
    HeldUpdate,
    set_all_physical_ids,
    update_all_if,
)
from heat_io.database.inline import (
    Fault,
    FaultHook,
    FaultPoint,
    InlineExecutor,
    Killed,
    memory_engine,
)
from heat_io.database.lanes import Lanes, LanesClosed
from heat_io.database.mariadb import MariaDbLimits, SessionSettings
from heat_io.database.migrations import migrate, upgrade
from heat_io.database.pages import Page, UnknownFilter
from heat_io.database.retry import Retrier, RetryPolicy
from heat_io.database.sequences import Step, Verdicts, follows, in_sequence
from heat_io.database.stack_lists import StackQuery
from heat_io.database.statement_counter import StatementCounter, counting
from heat_io.database.templates import TemplateKey
from heat_io.database.urls import DatabaseTarget, UnsupportedDatabase, database_target, driver_url
from heat_io.database.user_creds import UserCreds
from heat_io.database.verdicts import Applied, Indeterminate, Lost, Share, Verdict, Write

__all__ = [
    "Ambient",
    "Applied",
    "Cipher",
    "CommitUnknown",
    "Conflict",
    "ConnectionLost",
    "Database",
    "DatabaseFailure",
    "DatabaseTarget",
    "EventQuery",
    "Executor",
    "Fault",
    "FaultHook",
    "FaultPoint",
    "HeldId",
    "HeldUpdate",
    "Indeterminate",
    "InlineExecutor",
    "Killed",
    "Lanes",
    "LanesClosed",
    "Lost",
    "MariaDbLimits",
    "Page",
    "Retention",
    "Retrier",
    "RetryPolicy",
    "SessionSettings",
    "Share",
    "StackQuery",
    "StatementCounter",
    "Step",
    "TemplateKey",
    "Unit",
    "UnknownFilter",
    "UnsupportedDatabase",
    "UserCreds",
    "Verdict",
    "Verdicts",
    "Write",
    "ambient",
    "counting",
    "database_target",
    "driver_url",
    "events",
    "executor_for",
    "follows",
    "in_sequence",
    "memory_engine",
    "migrate",
    "nesting",
    "properties_data",
    "recovery",
    "resource_data",
    "resource_removal",
    "resources",
    "services",
    "set_all_physical_ids",
    "stack_lists",
    "stack_locks",
    "stacks",
    "sync_points",
    "tags",
    "templates",
    "update_all_if",
    "upgrade",
    "user_creds",
    "visits",
]
