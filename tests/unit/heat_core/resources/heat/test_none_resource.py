from __future__ import annotations

import uuid
from typing import Any

from heat_core.procedure import Datum, StoreCreated
from heat_core.resources import bind, prepare_create, read_attribute, registry

TYPE = registry.find("OS::Heat::None")


def test_create_makes_up_an_id(script: Any, view: Any) -> None:
    script.run(TYPE(view()).start_create(script.io, {}))

    stored = script.asked[-1]
    assert isinstance(stored, StoreCreated)
    assert uuid.UUID(stored.physical_id).version == 4
    assert stored.data == (Datum("is_placeholder", "True"),)


def test_any_property_is_taken_and_none_is_kept(script: Any) -> None:
    data = {"whatever": object()}

    assert script.run(prepare_create(script.io, TYPE, data)) == {}
    assert dict(bind(TYPE, data)) == {}
    assert TYPE.stored_properties(data) == {}


def test_every_attribute_is_there_and_null(script: Any, view: Any) -> None:
    resource = TYPE(view(physical_id="x"))

    for name in ("anything", "show"):
        assert script.run(read_attribute(script.io, resource, name)) is None
