"""Names of stacks and of the objects that resources make (rules/e-identity.md#1-7, 22)."""

from __future__ import annotations

import base64
import re
import uuid as uuid_module

from heat_core.errors import StackValidationFailed

STACK_NAME_LIMIT = 255
PHYSICAL_NAME_LIMIT = 255

# `$` and not `\Z`: a name that ends in a newline has always been let through.
_STACK_NAME = re.compile(rf"[a-zA-Z][a-zA-Z0-9_.-]{{0,{STACK_NAME_LIMIT - 1}}}$")


def short_id(uuid: str) -> str:
    """The 12 lower case characters that stand for a version 4 UUID within names.

    They are the 60 bits of the UUID's time field in base32. ValueError for any other UUID version.
    Source: rules/e-identity.md#5.
    """
    value = uuid_module.UUID(uuid)
    if value.version != 4:
        raise ValueError(f"Invalid UUID version ({value.version})")
    bits = (value.time_hi_version & 0x0FFF) << 48 | value.time_mid << 32 | value.time_low
    return base64.b32encode((bits << 4).to_bytes(8))[:12].decode("ascii").lower()


def reduce_physical_name(name: str, limit: int) -> str:
    """Cut `name` to `limit` characters: the first two, a dash, and as much of the end as fits.

    ValueError when the limit is below 4. Source: rules/e-identity.md#6.
    """
    if limit < 4:
        raise ValueError("limit cannot be less than 4")
    if len(name) <= limit:
        return name
    return f"{name[:2]}-{name[-(limit - 3) :]}"


def physical_resource_name(
    stack_name: str, resource_name: str, uuid: str, limit: int | None = PHYSICAL_NAME_LIMIT
) -> str:
    """The name that a resource gives to what it makes: "<stack>-<resource>-<short id>".

    `uuid` is the resource row's; `limit` the type's `physical_resource_name_limit`, None for no
    limit. A resource that is still INIT has no such name: that is for the caller to know.
    Source: rules/e-identity.md#6.
    """
    name = f"{stack_name.rstrip('*')}-{resource_name}-{short_id(uuid)}"
    return name if limit is None else reduce_physical_name(name, limit)


def check_stack_name(name: object) -> None:
    """Raise StackValidationFailed unless `name` may name a root stack.

    Nested stacks are named after their resource and are not checked.
    Source: rules/e-identity.md#1.
    """
    if not isinstance(name, str):
        raise StackValidationFailed(message=f"Invalid stack name {name}, must be a string")
    if not _STACK_NAME.match(name):
        raise StackValidationFailed(
            message=(
                f"Invalid stack name {name} must contain only alphanumeric or "
                f'"_-." characters, must start with alpha and must be {STACK_NAME_LIMIT} '
                "characters or less."
            )
        )


def check_resource_name(name: str) -> None:
    """Raise StackValidationFailed when a resource's name holds a slash (rules/e-identity.md#7)."""
    if "/" in name:
        raise StackValidationFailed(message='Resource name may not contain "/"')
