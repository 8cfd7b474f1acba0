from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import EntityNotFound
from heat_core.procedure import HttpAnswer
from heat_core.properties import Finder
from heat_core.resources import PluginFailure
from heat_core.resources.lookups import find_id

MISSING = HttpAnswer(404)
REFUSED = (EntityNotFound, PluginFailure)


IMAGE = Finder("glance", "find_image_by_name_or_id")
ID = "7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e11"


def test_an_image_by_id(script: Any) -> None:
    assert script.run(find_id(script.io, IMAGE, ID), {"id": ID}) == ID
    assert script.calls == [("GET", f"/v2/images/{ID}")]


@pytest.mark.parametrize("value", [ID, "cirros"])
def test_an_image_by_name(value: str, script: Any) -> None:
    """An id may be a name too."""
    answers = [MISSING, {"images": [{"id": "i"}]}] if value == ID else [{"images": [{"id": "i"}]}]

    assert script.run(find_id(script.io, IMAGE, value), *answers) == "i"
    assert script.calls[-1] == ("GET", f"/v2/images?name={value}")


@pytest.mark.parametrize(
    ("images", "text"),
    [
        ([], "No images matching {'name': 'x'}."),
        ([{"id": "1"}, {"id": "2"}], "No images unique match found for {'name': 'x'}."),
    ],
)
def test_images_that_are_not_one(images: list[Any], text: str, script: Any) -> None:
    with pytest.raises(REFUSED) as caught:
        script.run(find_id(script.io, IMAGE, "x"), {"images": images})
    assert str(caught.value) == text
