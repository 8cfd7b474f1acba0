"""Ids of images by id or name (facts/constraints.json)."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from heat_core.procedure import ProcedureIO
from heat_core.resources.finding import NoMatch, look_at

SERVICE = "image"


async def find_image(io: ProcedureIO, value: str) -> str:
    """The id of an image; a name must be that of one image alone."""
    if _looks_like_an_id(value):
        found = await look_at(io, SERVICE, "/v2/images", value)
        if found is not None:
            return str(found["id"])
    images: list[Mapping[str, Any]] = (await io.get(SERVICE, "/v2/images", {"name": value}))[
        "images"
    ]
    wanted = {"name": value}
    match images:
        case [image]:
            return str(image["id"])
        case []:
            raise NoMatch("EntityMatchNotFound", f"No images matching {wanted}.")
        case _:
            text = f"No images unique match found for {wanted}."
            raise NoMatch("EntityUniqueMatchNotFound", text)


def _looks_like_an_id(value: str) -> bool:
    try:
        return str(uuid.UUID(value)).replace("-", "") == _plain(value)
    except ValueError:
        return False


def _plain(value: str) -> str:
    """An id without what may be around it and between its parts."""
    return value.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "").lower()


FINDERS: Mapping[str, Callable[[ProcedureIO, str], Awaitable[str]]] = {
    "find_image_by_name_or_id": find_image,
}
