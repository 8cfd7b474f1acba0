"""What every machine shares: the table is the law, and a broken law changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pytest

from heat_core.convergence import IllegalEvent, Machine, Table, diagram


class Door(StrEnum):
    OPEN = "OPEN"
    SHUT = "SHUT"
    GONE = "GONE"


@dataclass(frozen=True)
class DoorPushed:
    hard: bool = False


@dataclass(frozen=True)
class HouseBurnedDown:
    pass


TABLE: Table[Door] = {
    Door.OPEN: {DoorPushed: (Door.SHUT,), HouseBurnedDown: (Door.GONE,)},
    Door.SHUT: {DoorPushed: (Door.OPEN, Door.SHUT), HouseBurnedDown: (Door.GONE,)},
    Door.GONE: {},
}


class DoorMachine(Machine[Door, DoorPushed | HouseBurnedDown, str]):
    table = TABLE

    def _on_door_pushed(self, event: DoorPushed) -> tuple[Door, tuple[str, ...]]:
        if event.hard:
            return Door.GONE, ("crash",)
        return (Door.SHUT if self.state is Door.OPEN else Door.OPEN), ("creak",)

    def _on_house_burned_down(self, event: HouseBurnedDown) -> tuple[Door, tuple[str, ...]]:
        return Door.GONE, ()


def test_an_event_leads_on_and_gives_effects() -> None:
    door = DoorMachine(Door.OPEN)
    assert door.handle(DoorPushed()) == ("creak",)
    assert door.state is Door.SHUT
    assert not door.done


def test_a_state_without_events_is_the_end() -> None:
    door = DoorMachine(Door.OPEN)
    door.handle(HouseBurnedDown())
    assert door.done


def test_an_event_that_the_table_lacks_is_refused_and_changes_nothing() -> None:
    door = DoorMachine(Door.GONE)
    with pytest.raises(IllegalEvent, match="DoorPushed in state GONE"):
        door.handle(DoorPushed())
    assert door.state is Door.GONE


def test_a_state_that_the_table_does_not_allow_is_a_bug_and_is_not_entered() -> None:
    door = DoorMachine(Door.OPEN)
    with pytest.raises(AssertionError, match="DoorMachine: DoorPushed led from OPEN to GONE"):
        door.handle(DoorPushed(hard=True))
    assert door.state is Door.OPEN


def test_the_diagram_has_an_arrow_for_each_pair_of_states_and_marks_the_end() -> None:
    assert diagram(TABLE, "a door").splitlines() == [
        "```mermaid",
        "stateDiagram-v2",
        "    %% a door",
        "    OPEN --> SHUT: DoorPushed",
        "    OPEN --> GONE: HouseBurnedDown",
        "    SHUT --> OPEN: DoorPushed",
        "    SHUT --> SHUT: DoorPushed",
        "    SHUT --> GONE: HouseBurnedDown",
        "    GONE --> [*]",
        "```",
    ]


def test_events_between_the_same_states_share_an_arrow() -> None:
    table: Table[Door] = {
        Door.OPEN: {DoorPushed: (Door.SHUT,), HouseBurnedDown: (Door.SHUT,)},
        Door.SHUT: {},
    }
    assert "    OPEN --> SHUT: DoorPushed, HouseBurnedDown" in diagram(table, "").splitlines()


def test_what_a_copy_is_told_changes_nothing_in_the_machine() -> None:
    door = DoorMachine(Door.OPEN)
    other = door.copy()
    other.handle(HouseBurnedDown())
    assert (other.state, door.state) == (Door.GONE, Door.OPEN)
