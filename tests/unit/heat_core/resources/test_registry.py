from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from heat_core.errors import EntityNotFound
from heat_core.resources import ResourceType, registry


def test_every_name_leads_to_a_class_of_that_name() -> None:
    for name in registry.names():
        found = registry.find(name)
        assert issubclass(found, ResourceType)
        assert found.name == name
        assert registry.is_known(name)


def test_unknown_type() -> None:
    assert not registry.is_known("OS::No::Such")
    with pytest.raises(EntityNotFound) as caught:
        registry.find("OS::No::Such")
    assert str(caught.value) == "The Resource Type (OS::No::Such) could not be found."


def test_all_names_are_heat_s(shared: Any) -> None:
    index = json.loads((shared / "facts" / "resource-types" / "index.json").read_text())

    assert set(registry.names()) == set(index["types"])
    assert len(registry.names()) == 201


def test_no_type_is_loaded_before_it_is_asked_for() -> None:
    program = (
        "import sys; from heat_core.resources import registry; registry.names();"
        "print([m for m in sys.modules if m.startswith('heat_core.resources.heat.')"
        " or m.startswith('heat_core.resources.keystone.') or m in ('netaddr', 'croniter')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_registry_is_there_at_once() -> None:
    program = (
        "import time; before = time.process_time(); import heat_core.resources.registry;"
        "print(time.process_time() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.050
