"""A stack of a few resources with its messages, walked through every order of events.

The machines, the graph, the choice of rows, the merge and the recovery are the production's. What
is modelled is the little between them: rows with locks, sync points, messages that come late, twice
or never, engines that end. Each step is one read or write that others may see, so a walk over all
steps meets every interleaving.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

from exploration import branch
from rows import DEAD, MINE, NOW, a_row, a_stack

from heat_core.convergence import (
    Arrival,
    Node,
    NodeStep,
    Traces,
    base_decision,
    graph_node,
    is_gone,
    merge,
    new_sync_points,
    owed,
    select_rows,
    traversal_graph,
)
from heat_core.convergence import node_events as ev
from heat_core.convergence.recovery import CompleteOwed, ReportOwed, VisitOwed
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status

type Message = tuple[int, str, bool]
"""row, traversal, direction"""


@dataclass(frozen=True)
class Wanted:
    """One resource of a template: what it needs; another `kind` takes a new object."""

    needs: tuple[str, ...] = ()
    kind: int = 0
    value: int = 0


type Template = Mapping[str, Wanted]


@dataclass
class Visiting:
    """A visit under way: its machine and what that wants done next."""

    machine: NodeStep
    message: Message
    todo: list[Any] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    gone: bool = False
    acknowledged: bool = False


@dataclass
class Budget:
    """How many misfortunes may still happen."""

    duplicates: int = 0
    losses: int = 0
    crashes: int = 0
    failures: int = 0


class World:
    """Everything that there is. `templates` are those that the stack goes through, by id from 1."""

    def __init__(self, templates: tuple[Template, ...], budget: Budget) -> None:
        self.templates = templates
        self.budget = budget
        self.rows: dict[int, ResourceRecord] = {}
        self.points: dict[Node | None, tuple[str, ...]] = {}
        self.graph: Graph[Node] = Graph({}, {})
        self.messages: list[Message] = []
        self.visits: list[Visiting] = []
        self.stack: StackRecord = a_stack(
            raw_template_id=TemplateId(0), prev_raw_template_id=None, action=Action.CREATE
        )
        self._next_row = 1
        self.begin()

    # --- the stack -------------------------------------------------------------------------

    @property
    def template(self) -> Template:
        return self.templates[self.stack.raw_template_id - 1]

    @property
    def may_begin(self) -> bool:
        return self.stack.raw_template_id < len(self.templates)

    def begin(self) -> None:
        """The next operation: create, then update after update; a running one is superseded."""
        number = TemplateId(self.stack.raw_template_id + 1)
        self.stack = replace(
            self.stack,
            action=Action.CREATE if number == 1 else Action.UPDATE,
            status=Status.IN_PROGRESS,
            current_traversal=TraversalId(f"t{number}"),
            raw_template_id=number,
            prev_raw_template_id=None if number == 1 else self.stack.raw_template_id,
        )
        requires = {name: wanted.needs for name, wanted in self.template.items()}
        order = Graph.from_edges(
            (name, needed) for name in requires for needed in (requires[name] or (None,))
        ).topological()
        before = list(self.rows.values())
        chosen = select_rows(
            order,
            before,
            template_id=number,
            previous_template_id=self.stack.prev_raw_template_id,
        )
        ids = dict(chosen.chosen)
        for name in chosen.missing:
            ids[name] = self._insert(name, None)
        self.graph = traversal_graph(requires=requires, ids=ids, existing=before)
        self.points = dict.fromkeys([*self.graph, None], ())
        for node in self.graph.leaves():
            self._cast(node)

    def _insert(self, name: str, replaces: int | None) -> ResourceId:
        row_id = ResourceId(self._next_row)
        self._next_row += 1
        self.rows[row_id] = a_row(
            row_id,
            name=name,
            action=Action.INIT,
            physical_id=None,
            atomic_key=None,
            replaces=replaces,
            current_template_id=self.stack.raw_template_id,
        )
        return row_id

    def _cast(self, node: Node) -> None:
        self.messages.append((int(node.id), self.stack.current_traversal or "", node.is_update))

    def _complete(self) -> None:
        self.stack = replace(self.stack, status=Status.COMPLETE)
        self.points = {}
        gone = {row_id for row_id, row in self.rows.items() if is_gone(row)}
        self.rows = {row_id: row for row_id, row in self.rows.items() if row_id not in gone}

    # --- steps -----------------------------------------------------------------------------

    def steps(self) -> Iterator[tuple[str, World]]:
        """Everything that may happen next, each with the world after it."""
        for index, message in enumerate(self.messages):
            if message in self.messages[:index]:
                continue
            yield f"deliver {message}", self._after(World._deliver, message)
            if self.budget.duplicates:
                yield f"deliver {message} twice", self._after(World._deliver, message, again=True)
            if self.budget.losses:
                yield f"lose {message}", self._after(World._lose, message)
        for index, visit in enumerate(self.visits):
            what = visit.arrivals[0] if visit.arrivals else visit.todo[0]
            yield f"visit {visit.message}: {what}", self._after(World._go_on, index)
            fails = isinstance(what, ev.RunProcedure) and self.budget.failures
            if fails:
                yield f"visit {visit.message} fails", self._after(World._go_on, index, fails=True)
        if self.may_begin:
            yield "begin the next operation", self._after(World.begin)
        if self.visits and self.budget.crashes:
            yield "crash", self._after(World._crash)
        if self.stack.status is Status.IN_PROGRESS and not self.messages and not self.visits:
            swept = self._after(World._sweep)
            if swept.messages or swept.key() != self.key():
                yield "sweep", swept

    def _after(self, step: Any, *arguments: Any, **options: Any) -> World:
        world = copy.copy(self)
        world.budget = copy.copy(self.budget)
        world.rows, world.points = dict(self.rows), dict(self.points)
        world.messages = list(self.messages)
        world.visits = [
            replace(
                visit,
                machine=branch(visit.machine),
                todo=list(visit.todo),
                arrivals=list(visit.arrivals),
            )
            for visit in self.visits
        ]
        step(world, *arguments, **options)
        return world

    def key(self) -> Any:
        """What is the same in two worlds from which the same may happen."""
        visits = [
            (
                (v.message, v.gone, v.acknowledged),
                tuple(_brief(getattr(v.machine, name)) for name in MEMORY),
                tuple(map(_brief, v.todo)),
                tuple(map(_brief, v.arrivals)),
            )
            for v in self.visits
        ]
        return (
            _brief(self.stack),
            _brief(self.budget),
            tuple(_brief(row) for row in self.rows.values()),
            tuple(self.points.items()),
            tuple(sorted(self.messages)),
            tuple(sorted(map(repr, visits))),
        )

    def _lose(self, message: Message) -> None:
        self.messages.remove(message)
        self.budget.losses -= 1

    def _deliver(self, message: Message, *, again: bool = False) -> None:
        if again:
            self.budget.duplicates -= 1
        else:
            self.messages.remove(message)
        row_id, traversal, is_update = message
        visit = ev.Visit(ResourceId(row_id), TraversalId(traversal), is_update, {})
        machine = NodeStep(visit)
        self.visits.append(Visiting(machine, message, list(machine.handle(ev.Started()))))
        self._go_on(len(self.visits) - 1)

    def _crash(self) -> None:
        """The engine ends; the broker gives back what was not acknowledged."""
        self.budget.crashes -= 1
        self.messages += [visit.message for visit in self.visits if not visit.acknowledged]
        self.visits = []
        for row_id, row in self.rows.items():
            if row.engine_id is not None:
                self.rows[row_id] = replace(row, engine_id=DEAD)

    def _sweep(self) -> None:
        traversal = self.stack.current_traversal or TraversalId("")
        points = [
            replace(point, input_data={"input_data": dict.fromkeys(self._at(point))})
            for point in new_sync_points(
                self.stack.id, traversal, self.graph, {"action": "UPDATE", "prepared": True}
            )
        ]
        traces = Traces(self.stack, self.graph, list(self.rows.values()), points)
        for item in owed(traces, is_dead=lambda engine: True, now=NOW):
            match item:
                case VisitOwed(node):
                    self._cast(node)
                case ReportOwed(node):
                    self._report(node)
                case CompleteOwed():
                    self._complete()
                case _:
                    raise AssertionError(f"nobody expects {item}")

    def _at(self, point: SyncPointRecord) -> tuple[str, ...]:
        if point.entity_id == self.stack.id:
            return self.points[None]
        return self.points[Node(int(point.entity_id), point.is_update)]

    def _report(self, node: Node) -> None:
        for receiver in self.graph.required_by(node) or (None,):
            self._arrive(Arrival(receiver, node))

    # --- visits ----------------------------------------------------------------------------

    def _go_on(self, index: int, *, fails: bool = False) -> None:
        """The visit's next read or write, and what follows from it that nobody else sees."""
        visit = self.visits[index]
        self._act(visit, fails)
        while not visit.arrivals and visit.todo and self._is_private(visit.todo[0]):
            self._act(visit, False)
        if visit.machine.done and not visit.todo:
            self.visits.remove(visit)

    def _is_private(self, effect: Any) -> bool:
        if isinstance(effect, ev.RunProcedure):
            # The lock is held meanwhile: what comes then is turned away, or waits for a crash.
            return False
        return isinstance(
            effect, ev.EvaluateNode | ev.ReadAttributes | ev.Acknowledge | ev.Drop | ev.Propagate
        )

    def _act(self, visit: Visiting, fails: bool) -> None:
        if visit.arrivals:
            gone = not self._arrive(visit.arrivals.pop(0), visit.message[1])
            visit.gone = visit.gone or gone
            answer = None if visit.arrivals else ev.Propagated(visit.gone)
        else:
            answer = self._perform(visit, visit.todo.pop(0), fails)
        if answer is not None:
            visit.todo += visit.machine.handle(answer)

    def _perform(self, visit: Visiting, effect: Any, fails: bool) -> Any:
        match effect:
            case ev.LoadNode():
                return self._load(visit)
            case ev.EvaluateNode(stack, row, resume):
                decision = self._decide(stack, row, visit.message[2], resume)
                return ev.NodeEvaluated(decision, "plan")
            case ev.ClaimNode():
                return self._claim(visit, effect)
            case ev.RunProcedure(row, action):
                if fails:
                    self.budget.failures -= 1
                    return ev.ProcedureFinished(ev.Outcome.FAILED, "failed")
                return ev.ProcedureFinished(ev.Outcome.DONE)
            case ev.StoreOutcome(row, action, status, _, _, completed):
                return self._outcome(row, action, status, completed)
            case ev.StoreUnchanged(row):
                template_id = self._template_of(visit)
                return self._written(row, current_template_id=template_id, status=Status.COMPLETE)
            case ev.RemoveRow(row):
                return self._remove(visit, row)
            case ev.MakeReplacement(row):
                return self._replace(visit, row)
            case ev.ReadAttributes():
                return ev.AttributesRead({"id": visit.message[0]})
            case ev.Propagate(_, sent):
                visit.arrivals = list(sent)
            case ev.FailStack():
                return ev.StackFailed(self._fail(visit))
            case ev.WakeTraversal(row):
                self._wake(visit, row.id)
                return ev.Woken()
            case ev.CastCheck(row_id):
                self.messages.append((row_id, *visit.message[1:]))
            case ev.Acknowledge():
                visit.acknowledged = True
            case ev.Drop() | ev.Preempt():
                pass
            case _:
                raise AssertionError(f"nobody expects {effect}")
        return None

    def _load(self, visit: Visiting) -> ev.NodeLoaded:
        row = self.rows.get(visit.message[0])
        if row is not None and row.replaced_by is not None:
            made = self.rows.get(row.replaced_by)
            freed = made is not None and made.replaces is None and is_gone(row)
            if made is None or not (freed or made.replaces == row.id):
                row = replace(row, replaced_by=None)
        holder = ev.Holder.NOBODY
        if row is not None and row.engine_id is not None:
            holder = ev.Holder.DEAD if row.engine_id == DEAD else ev.Holder.ALIVE
        first = self._stands_for(row) if row is not None and visit.message[2] else None
        return ev.NodeLoaded(
            row, self.stack, self.graph, holder, NOW, first, self._reported(visit, row, first)
        )

    def _stands_for(self, row: ResourceRecord) -> ResourceId | None:
        while Node(row.id, True) not in self.graph:
            replaced = self.rows.get(row.replaces) if row.replaces is not None else None
            if replaced is None:
                says_so = [one for one in self.rows.values() if one.replaced_by == row.id]
                if not says_so:
                    return None
                replaced = says_so[-1]
            row = replaced
        return row.id

    def _reported(
        self, visit: Visiting, row: ResourceRecord | None, first: ResourceId | None
    ) -> bool:
        if row is None or row.action is Action.INIT or row.status is not Status.COMPLETE:
            return False
        if not visit.message[2] or row.current_template_id != self.stack.raw_template_id:
            return False
        node = graph_node(self.graph, row, True, first)
        if node is None or not self.points:
            return False
        receivers = self.graph.required_by(node) or (None,)
        return all(node.key in self.points[receiver] for receiver in receivers)

    def _decide(
        self, stack: StackRecord, row: ResourceRecord, is_update: bool, resume: bool
    ) -> ev.Decision:
        decision = base_decision(row, stack, is_update)
        if decision is not None:
            return decision
        if resume and row.action is Action.CREATE:
            return ev.Decision.CREATE
        wanted = self.templates[stack.raw_template_id - 1][row.name]
        had = self.templates[(row.current_template_id or 1) - 1].get(row.name, wanted)
        if row.status is Status.FAILED or is_gone(row) or had.kind != wanted.kind:
            return ev.Decision.REPLACE
        changed = resume or had.value != wanted.value
        return ev.Decision.UPDATE if changed else ev.Decision.UNCHANGED

    def _template_of(self, visit: Visiting) -> TemplateId:
        return TemplateId(int(visit.message[1].removeprefix("t")))

    def _is_current(self, visit: Visiting) -> bool:
        return self.stack.current_traversal == visit.message[1]

    def _held_as(self, row: ResourceRecord) -> bool:
        found = self.rows.get(row.id)
        return found is not None and (found.engine_id, found.atomic_key) == (
            row.engine_id,
            row.atomic_key,
        )

    def _write(self, row_id: int, **values: Any) -> ResourceRecord:
        row = self.rows[row_id]
        self.rows[row_id] = replace(row, **values, atomic_key=(row.atomic_key or 0) + 1)
        return self.rows[row_id]

    def _claim(self, visit: Visiting, effect: ev.ClaimNode) -> ev.Claimed | ev.ClaimLost:
        row = effect.row
        in_traversal = effect.take_over or self._is_current(visit)
        if not self._held_as(row) or not in_traversal:
            return ev.ClaimLost()
        values: dict[str, Any] = {"engine_id": MINE}
        if not effect.take_over and not effect.quietly:
            values |= {"action": effect.action, "status": Status.IN_PROGRESS}
            if effect.action is Action.CREATE:
                values["current_template_id"] = self._template_of(visit)
        return ev.Claimed(self._write(row.id, **values))

    def _outcome(
        self, row: ResourceRecord, action: Action, status: Status, completed: bool
    ) -> ev.OutcomeStored | ev.OutcomeLost:
        if not self._held_as(row):
            return ev.OutcomeLost()
        values: dict[str, Any] = {"engine_id": None, "action": action, "status": status}
        if completed and action is not Action.DELETE:
            # The plan's template is that of the traversal that began it: the current one, or else
            # whoever comes next sees that the row is of an earlier one.
            values["current_template_id"] = self._planned.get(row.id, row.current_template_id)
        stored = self._write(row.id, **values)
        if status is Status.COMPLETE and action is Action.DELETE:
            self._release(stored)
        return ev.OutcomeStored(stored)

    @property
    def _planned(self) -> dict[int, TemplateId]:
        """By held row: the template of the visit that holds it."""
        return {
            visit.machine._row.id: self._template_of(visit)
            for visit in self.visits
            if visit.machine._row is not None and visit.machine._held
        }

    def _release(self, row: ResourceRecord) -> None:
        made = None if row.replaced_by is None else self.rows.get(row.replaced_by)
        if made is not None and made.replaces == row.id:
            self.rows[made.id] = replace(made, replaces=None)

    def _written(self, row: ResourceRecord, **values: Any) -> ev.OutcomeStored | ev.OutcomeLost:
        if not self._held_as(row):
            return ev.OutcomeLost()
        return ev.OutcomeStored(self._write(row.id, **values))

    def _remove(self, visit: Visiting, row: ResourceRecord) -> ev.OutcomeStored | ev.OutcomeLost:
        if not self._is_current(visit) or not self._held_as(row):
            return ev.OutcomeLost()
        self._release(row)
        del self.rows[row.id]
        return ev.OutcomeStored(row)

    def _replace(
        self, visit: Visiting, row: ResourceRecord
    ) -> ev.ReplacementStored | ev.ReplacementLost:
        if not self._is_current(visit) or not self._held_as(row):
            return ev.ReplacementLost()
        made = self._insert(row.name, row.id)
        self._write(row.id, replaced_by=made)
        return ev.ReplacementStored(made)

    def _arrive(self, arrival: Arrival, traversal: str | None = None) -> bool:
        """Leave an entry; False when the traversal is over."""
        receiver = arrival.receiver
        over = traversal is not None and traversal != self.stack.current_traversal
        if over or receiver not in self.points:
            return False
        needed = self.graph.roots() if receiver is None else self.graph.requires(receiver)
        there = {"input_data": dict.fromkeys(self.points[receiver])}
        merged = merge(
            there,
            [(arrival.sender, None)],
            needed,
            again={arrival.sender} if arrival.again else (),
        )
        self.points[receiver] = tuple(sorted(merged.input_data["input_data"]))
        if merged.completed_by is not None:
            if receiver is None:
                self._complete()
            else:
                self._cast(receiver)
        return True

    def _fail(self, visit: Visiting) -> bool:
        if not self._is_current(visit) or self.stack.status is not Status.IN_PROGRESS:
            return False
        self.stack = replace(self.stack, status=Status.FAILED, current_traversal=TraversalId(""))
        self.points = {}
        return True

    def _wake(self, visit: Visiting, row_id: int) -> None:
        row = self.rows.get(row_id)
        if row is None or self.stack.status is not Status.IN_PROGRESS or self._is_current(visit):
            return
        own = [node for up in (True, False) if (node := Node(row.id, up)) in self.graph]
        if not own and row.replaces is not None:
            if not is_gone(row):
                status = row.status if row.action is Action.INIT else Status.FAILED
                self._write(row.id, action=Action.DELETE, status=status)
            own = [node for up in (True, False) if (node := Node(row.replaces, up)) in self.graph]
        if own:
            self._arrive(Arrival(own[0], own[0], again=True))


MEMORY = tuple(
    name
    for name in vars(NodeStep(ev.Visit(ResourceId(0), TraversalId(""), True, {})))
    if name not in ("visit", "_graph", "_retries", "_plan")
)
"""what the machine of a visit remembers beside its message; nothing here is tried again"""


def _brief(value: Any) -> Any:
    """The value by what may differ in it here, quickly compared."""
    match value:
        case ResourceRecord():
            held = (value.id, value.action, value.status, value.engine_id, value.atomic_key)
            return (*held, value.current_template_id, value.replaces, value.replaced_by)
        case StackRecord():
            return (value.current_traversal, value.status, value.raw_template_id)
        case str() | int() | None:
            return value
        case _ if is_dataclass(value):
            names = value.__dataclass_fields__
            return (type(value).__name__, *(_brief(getattr(value, name)) for name in names))
    return repr(value)


def walk(world: World, limit: int = 1_000_000) -> tuple[int, list[World]]:
    """How many worlds can be reached, and those in which nothing can happen any more."""
    seen = {world.key()}
    waiting: list[tuple[World, tuple[str, ...]]] = [(world, ())]
    ends = []
    while waiting:
        before, path = waiting.pop()
        found = False
        try:
            for name, after in before.steps():
                found = True
                key = after.key()
                if key not in seen:
                    seen.add(key)
                    assert len(seen) <= limit, "more worlds than expected: it goes in circles"
                    waiting.append((after, (*path, name)))
        except BaseException as error:
            for number, step in enumerate(path, 1):
                error.add_note(f"{number}. {step}")
            raise
        if not found:
            _check_end(before, path)
            ends.append(before)
    return len(seen), ends


def _check_end(world: World, path: tuple[str, ...]) -> None:
    """Nothing is left to do, nothing is locked, and the rows are what the template wants."""
    try:
        assert world.stack.status is not Status.IN_PROGRESS, "the stack hangs"
        assert not any(row.engine_id for row in world.rows.values()), "a row is locked"
        if world.stack.status is Status.COMPLETE:
            standing = [row for row in world.rows.values() if not _is_left_behind(world, row)]
            assert sorted(row.name for row in standing) == sorted(world.template)
            for row in standing:
                assert row.status is Status.COMPLETE
                assert row.current_template_id == world.stack.raw_template_id
    except AssertionError as error:
        for number, step in enumerate(path, 1):
            error.add_note(f"{number}. {step}")
        raise


def _is_left_behind(world: World, row: ResourceRecord) -> bool:
    """A row of this very template that was replaced stays, as in Heat (rules/i#14)."""
    return row.current_template_id == world.stack.raw_template_id and any(
        other.name == row.name and other.id > row.id and other.status is Status.COMPLETE
        for other in world.rows.values()
        if not is_gone(other) and row.replaced_by is not None
    )
