from __future__ import annotations

from datetime import date, datetime
from types import MappingProxyType
from uuid import UUID

import pytest

from heat_core.rpc import dumps, loads
from heat_core.stack import Action


def test_plain_data_passes_unchanged() -> None:
    data = {"a": [1, 2.5, None, True, "é"], "b": {"c": []}}
    assert loads(dumps(data)) == data


def test_what_json_lacks_gets_its_form_on_the_bus() -> None:
    uuid = "01234567-89ab-4def-8123-456789abcdef"
    assert loads(
        dumps(
            {
                "time": datetime(2026, 11, 29, 14, 7, 31, 5),
                "date": date(2026, 11, 29),
                "tuple": (1, 2),
                "set": {"b", "a"},
                "uuid": UUID(uuid),
                "bytes": b"x",
                "action": Action.CREATE,
                "view": MappingProxyType({"k": frozenset({1})}),
            }
        )
    ) == {
        "time": "2026-11-29T14:07:31.000005",
        "date": "2026-11-29",
        "tuple": [1, 2],
        "set": ["a", "b"],
        "uuid": uuid,
        "bytes": "x",
        "action": "CREATE",
        "view": {"k": [1]},
    }


def test_objects_do_not_cross() -> None:
    with pytest.raises(TypeError, match="object cannot cross the bus"):
        dumps({"a": object()})
