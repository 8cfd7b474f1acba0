"""Named mistakes in production code, each of which the simulator must catch.

A mutant replaces one function while a seed runs. It is caught when one of a fixed row of seeds ends
in a violation; a mutant that survives them all shows what the simulator is blind to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator
from typing import Any, Final
from unittest import mock

from sqlalchemy import text

from heat_core.convergence import Merged, node_step, preview, recovery, traversal
from heat_core.convergence.node_events import Acknowledge, Drop
from heat_core.resources.keystone.project import KeystoneProject
from heat_io.database import Applied, resources, stacks, sync_points
from heat_io.drivers import (
    node_driver,
    node_reports,
    node_store,
    rendezvous,
    traversal_store,
    visit_loads,
)
from heat_io.drivers.traversal_driver import TraversalDriver
from tests.simulation.pool import BATCH, quiet_process, told
from tests.simulation.scenario import run

SEEDS_A_MUTANT = 2500

type Patch = contextlib.AbstractContextManager[Any]


def _row_lock_is_not_checked() -> Patch:
    """A claim is stored whoever holds the row."""
    real = resources.update

    def update_if(
        connection: Any,
        row_id: Any,
        *,
        engine_id: Any,
        atomic_key: Any,
        values: Any,
        bump: bool = True,
        in_traversal: Any = None,
    ) -> bool:
        fresh = dict(values)
        if bump:
            fresh["atomic_key"] = 1 if atomic_key is None else atomic_key + 1
        return real(connection, row_id, fresh)

    def update_all_if(connection: Any, updates: Any) -> bool:
        return all(
            update_if(
                connection,
                update.resource_id,
                engine_id=update.engine_id,
                atomic_key=update.atomic_key,
                values=update.values,
                bump=update.bump,
            )
            for update in updates
        )

    patches = contextlib.ExitStack()
    patches.enter_context(mock.patch.object(resources, "update_if", update_if))
    patches.enter_context(mock.patch.object(node_store, "update_all_if", update_all_if))
    return patches


def _stack_writes_ignore_the_traversal() -> Patch:
    """A superseded traversal still writes the stack's row."""

    def unconditional(connection: Any, stack_id: Any, expected: Any, values: Any) -> bool:
        return stacks.update(connection, stack_id, values)

    return mock.patch.object(stacks, "update_if_traversal", unconditional)


def _leaves_are_cast_before_the_sync_points_are_there() -> Patch:
    """The sync points of a traversal are stored one message too late."""
    real = traversal_store.prepare

    def prepare(connection: Any, *args: Any) -> Any:
        prepared = real(connection, *args)
        if prepared is not None:
            stack = args[0]
            for node in prepared.graph:
                connection.execute(
                    sync_points.sync_point.delete().where(
                        sync_points._key(node.entity, stack.current_traversal, node.is_update)
                    )
                )
        return prepared

    return mock.patch.object(traversal_store, "prepare", prepare)


def _no_wake_after_a_traversal_was_lost() -> Patch:
    """A visit whose traversal is gone ends without telling the current one."""

    real = node_step.NodeStep._on_propagated

    def mutant(self: Any, event: Any) -> Any:
        if not event.gone:
            return real(self, event)
        return node_step.State.DONE, (Drop("mutant"),)

    return mock.patch.object(node_step.NodeStep, "_on_propagated", mutant)


def _no_wake_after_a_failure_that_came_late() -> Patch:
    """A failure that finds its traversal superseded wakes nobody."""
    real = node_step.NodeStep._on_stack_failed

    def mutant(self: Any, event: Any) -> Any:
        if event.applied:
            return real(self, event)
        return node_step.State.DONE, (Drop("mutant"),)

    return mock.patch.object(node_step.NodeStep, "_on_stack_failed", mutant)


def _a_gone_sync_point_comes_back() -> Patch:
    """An arrival at a sync point that is gone creates it anew, as an upsert would."""
    real = sync_points.fetch_many

    def mutant(connection: Any, places: Any) -> Any:
        found = real(connection, places)
        for place in places:
            if place not in found:
                from heat_core.stack.records import SyncPointRecord

                entity, traversal_id, is_update = place
                # Whose it was is not known here: any stack will do.
                stack_id = connection.execute(text("SELECT id FROM stack")).scalars().first()
                record = SyncPointRecord(
                    entity_id=entity,
                    traversal_id=traversal_id,
                    is_update=is_update,
                    stack_id=stack_id,
                )
                sync_points.insert_many(connection, [record])
        return real(connection, places)

    return mock.patch.object(sync_points, "fetch_many", mutant)


def _combining_loses_an_arrival() -> Patch:
    """Of several arrivals in one write the last one is dropped."""
    real = rendezvous.merge

    def mutant(input_data: Any, arrivals: Any, predecessors: Any, *, again: bool = False) -> Merged:
        found = list(arrivals)
        kept = found[:-1] if len(found) > 1 else found
        return real(input_data, kept, predecessors, again=again)

    return mock.patch.object(rendezvous, "merge", mutant)


def _nobody_completes_a_set_of_several() -> Patch:
    """A batch that completes a set names no completer."""
    real = rendezvous.merge

    def mutant(input_data: Any, arrivals: Any, predecessors: Any, *, again: bool = False) -> Merged:
        found = list(arrivals)
        merged = real(input_data, found, predecessors, again=again)
        return dataclasses.replace(merged, completed_by=None) if len(found) > 1 else merged

    return mock.patch.object(rendezvous, "merge", mutant)


def _a_set_counts_as_complete_one_too_early() -> Patch:
    """The next node is visited while one of those that it waits for is missing."""
    real = rendezvous.merge

    def mutant(input_data: Any, arrivals: Any, predecessors: Any, *, again: bool = False) -> Merged:
        nodes = tuple(predecessors)
        return real(input_data, arrivals, nodes[1:] if len(nodes) > 1 else nodes, again=again)

    return mock.patch.object(rendezvous, "merge", mutant)


def _a_cut_create_starts_again_without_looking() -> Patch:
    """After a crash the object is made once more although it may be there."""
    return mock.patch.object(KeystoneProject, "create_repeatable", True)


def _a_cut_create_finds_nothing() -> Patch:
    """After a crash nobody looks for what the dead engine made."""

    async def find(self: Any, io: Any, props: Any) -> None:
        return None

    return mock.patch.object(KeystoneProject, "find", find)


def _a_removed_row_is_not_reported() -> Patch:
    """The clean-up of a row without an object says nothing to those who wait."""
    stored = node_step.NodeStep._on_outcome_stored

    def drop(self: Any, event: Any) -> Any:
        if event.row.action.value == "INIT":
            return node_step.State.WAKING, (node_step.WakeTraversal(event.row),)
        return stored(self, event)

    return mock.patch.object(node_step.NodeStep, "_on_outcome_stored", drop)


def _a_replacement_ignores_the_traversal() -> Patch:
    """A superseded traversal still makes a replacement."""
    real = node_store.NodeWrites.replacement

    def mutant(self: Any, effect: Any, traversal_id: Any) -> Any:
        write = real(self, effect, traversal_id)

        def apply(connection: Any) -> Any:
            with mock.patch.object(stacks, "update_if_traversal", return_value=True):
                return write.apply(connection)

        return dataclasses.replace(write, apply=apply, share=None)

    return mock.patch.object(node_store.NodeWrites, "replacement", mutant)


def _the_lock_is_kept_after_the_outcome() -> Patch:
    """The outcome is stored, the lock is not released."""
    real = node_store.NodeWrites.outcome

    def mutant(self: Any, effect: Any, stack: Any, type_name: str) -> Any:
        write = real(self, effect, stack, type_name)

        def apply(connection: Any) -> Any:
            done = write.apply(connection)
            if isinstance(done, Applied):
                resources.update(connection, effect.row.id, {"engine_id": self.engine_id})
            return done

        return dataclasses.replace(write, apply=apply, share=None)

    return mock.patch.object(node_store.NodeWrites, "outcome", mutant)


def _rollback_forgets_the_old_template() -> Patch:
    """A rollback goes to an empty template although there was one before."""
    real = traversal_store._template_of

    def mutant(connection: Any, effect: Any) -> Any:
        if effect.template is traversal.TemplateChange.PREVIOUS_OR_EMPTY:
            stack = dataclasses.replace(effect.stack, prev_raw_template_id=None)
            effect = dataclasses.replace(effect, stack=stack)
        return real(connection, effect)

    return mock.patch.object(traversal_store, "_template_of", mutant)


def _a_stale_graph_is_trusted() -> Patch:
    """The graph of the traversal before is taken for the one that is being prepared."""
    return mock.patch("heat_io.drivers.definitions.is_prepared", return_value=True)


def _the_purge_is_forgotten() -> Patch:
    """What a traversal leaves behind stays."""

    async def mutant(self: Any, stack: Any) -> Any:
        return traversal.Purged()

    return mock.patch.object(TraversalDriver, "_purge", mutant)


def _the_physical_id_is_not_stored() -> Patch:
    """The id of a new object is only known to the process that made it."""
    real = node_store.NodeWrites.created

    def mutant(self: Any, row: Any, request: Any) -> Any:
        write = real(self, row, request)
        kept = dataclasses.replace(row, physical_id=request.physical_id)
        return dataclasses.replace(write, apply=lambda connection: Applied(kept), share=None)

    return mock.patch.object(node_store.NodeWrites, "created", mutant)


def _every_engine_counts_as_dead() -> Patch:
    """Locks of living engines are taken."""
    real = node_driver.NodeDriver._holder

    async def mutant(self: Any, row: Any) -> Any:
        found = await real(self, row)
        alive = found is node_step.Holder.ALIVE
        return node_step.Holder.DEAD if alive else found

    return mock.patch.object(node_driver.NodeDriver, "_holder", mutant)


def _a_message_is_acknowledged_before_its_claim() -> Patch:
    """The broker forgets the message before the database knows of the work."""
    real = node_step.NodeStep._on_node_evaluated

    def mutant(self: Any, event: Any) -> Any:
        state, effects = real(self, event)
        return state, (Acknowledge(), *effects)

    return mock.patch.object(node_step.NodeStep, "_on_node_evaluated", mutant)


def _all_of_a_batch_complete_the_set() -> Patch:
    """Each arrival of the write that completes a set is told to go on."""
    real = rendezvous._verdicts

    def mutant(tickets: Any, completed_by: Any, *rest: Any) -> Any:
        verdicts = real(tickets, completed_by, *rest)
        return verdicts if completed_by is None else [verdicts[completed_by]] * len(verdicts)

    return mock.patch.object(rendezvous, "_verdicts", mutant)


def _a_replacement_of_a_replacement_has_no_part() -> Patch:
    """Only the first replacement of a row in a traversal stands in for it."""
    return mock.patch.object(visit_loads, "_stands_for", return_value=None)


def _a_row_that_was_cleaned_up_is_replaced_again() -> Patch:
    """A late message finds the old row deleted and its replacement set free."""

    def mutant(replacement: Any, row: Any) -> bool:
        return bool(replacement.replaces == row.id)

    return mock.patch.object(visit_loads, "_replaces", mutant)


def _a_row_that_is_gone_is_disowned() -> Patch:
    """What is deleted already is left to the next clean-up as if it were not."""
    return mock.patch.object(node_reports, "is_gone", return_value=False)


def _the_oldest_row_is_chosen() -> Patch:
    """Rows are chosen by their age, not by how well they fit the template."""

    def score(row: Any, **templates: Any) -> int:
        return -int(row.id)

    return mock.patch("heat_core.convergence.selection.score", score)


def _clean_ups_do_not_wait_for_updates() -> Patch:
    """A resource is deleted while its replacement is still being made."""

    def nothing(rows: Any) -> Any:
        return lambda graph: None

    return mock.patch("heat_core.convergence.traversal_graph._clean_up_after_update", nothing)


def _previews_take_new_references_for_the_old_ones() -> Patch:
    """A preview does not see that what others read of a resource will change."""
    return mock.patch.object(preview._Run, "_unknown_properties", return_value=frozenset())


def _nothing_ever_times_out() -> Patch:
    """The deadline of an operation is not looked at."""
    patches = contextlib.ExitStack()
    for module in (node_step, node_driver, recovery):
        patches.enter_context(mock.patch.object(module, "stack_deadline", return_value=None))
    return patches


def _an_update_forgets_the_new_properties() -> Patch:
    """The row keeps the properties from before its update."""
    real = node_store.NodeWrites._store_properties

    def mutant(self: Any, connection: Any, row: Any, plan: Any, metadata: bool = False) -> Any:
        return row if metadata else real(self, connection, row, plan, metadata)

    return mock.patch.object(node_store.NodeWrites, "_store_properties", mutant)


MUTANTS: dict[str, Callable[[], Patch]] = {
    maker.__name__.removeprefix("_"): maker
    for maker in (
        _row_lock_is_not_checked,
        _stack_writes_ignore_the_traversal,
        _leaves_are_cast_before_the_sync_points_are_there,
        _no_wake_after_a_traversal_was_lost,
        _no_wake_after_a_failure_that_came_late,
        _a_gone_sync_point_comes_back,
        _combining_loses_an_arrival,
        _nobody_completes_a_set_of_several,
        _a_set_counts_as_complete_one_too_early,
        _a_cut_create_starts_again_without_looking,
        _a_cut_create_finds_nothing,
        _a_removed_row_is_not_reported,
        _a_replacement_ignores_the_traversal,
        _the_lock_is_kept_after_the_outcome,
        _rollback_forgets_the_old_template,
        _a_stale_graph_is_trusted,
        _the_purge_is_forgotten,
        _the_physical_id_is_not_stored,
        _every_engine_counts_as_dead,
        _a_message_is_acknowledged_before_its_claim,
        _all_of_a_batch_complete_the_set,
        _a_replacement_of_a_replacement_has_no_part,
        _a_row_that_was_cleaned_up_is_replaced_again,
        _a_row_that_is_gone_is_disowned,
        _the_oldest_row_is_chosen,
        _clean_ups_do_not_wait_for_updates,
        _previews_take_new_references_for_the_old_ones,
        _nothing_ever_times_out,
        _an_update_forgets_the_new_properties,
    )
}


@contextlib.contextmanager
def active(name: str) -> Iterator[None]:
    """Production code with that mistake in it."""
    with MUTANTS[name]():
        yield


PLOT_OF: Final = {
    "a_replacement_of_a_replacement_has_no_part": "failed replacement, then the old template"
}
"""where a mistake shows that all plots together would meet in one run of thousands"""


def hunt(name: str) -> tuple[str, int | None, str]:
    """The mutant, the first seed that catches it, and what that found."""
    for seed in range(1, SEEDS_A_MUTANT + 1):
        try:
            with active(name):
                run(seed, PLOT_OF.get(name))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return name, seed, told(error)
        if seed % BATCH == 0:
            gc.collect()
    return name, None, ""


def catch(names: list[str], processes: int) -> int:
    """Run each mutant until a seed catches it; 1 when one survives them all."""
    wanted = names or list(MUTANTS)
    os.environ["PYTHONHASHSEED"] = "0"
    caught = 0
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=quiet_process) as workers:
        for name, seed, text in workers.imap(hunt, wanted):
            caught += seed is not None
            line = "SURVIVED" if seed is None else "caught  "
            plot = f' of "{PLOT_OF[name]}"' if name in PLOT_OF else ""
            print(f"{line} {name}" + (f": seed {seed}{plot}: {text}" if seed else ""), flush=True)
    print(f"{caught} of {len(wanted)} mutants caught")
    return 0 if caught == len(wanted) else 1
