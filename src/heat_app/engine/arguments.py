"""Arguments of requests as the engine takes them: options of create and update, and filters.

Source: rules/o-listing.md#2-3, rules/h-updates.md#27, facts/messages-engine.json (heat.engine.api).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heat_core.template import parse_any
from heat_io.database.pages import Page

MAX_TAG_LENGTH = 80

_FILTER_COLUMNS = {
    "stack_name": "name",
    "stack_action": "action",
    "stack_status": "status",
    "stack_status_reason": "status_reason",
    "disable_rollback": "disable_rollback",
    "timeout_mins": "timeout",
    "stack_owner": "username",
    "parent": "owner_id",
    "stack_user_project_id": "stack_user_project_id",
}
_STATUSES = ("COMPLETE", "FAILED", "IN_PROGRESS")


@dataclass(frozen=True, slots=True, kw_only=True)
class StackOptions:
    """The options given with a create or an update; None: not given."""

    timeout_mins: int | None = None
    disable_rollback: bool | None = None
    converge: bool | None = None
    adopt_stack_data: Mapping[str, Any] | None = None
    tags: tuple[str, ...] | None = None

    @classmethod
    def from_args(cls, args: Mapping[str, Any]) -> StackOptions:
        """Read a request's `args`; ValueError says what is wrong with one of them.

        A timeout that is no number is ignored, zero is none, below zero is refused.
        """
        adopt = args.get("adopt_stack_data")
        return cls(
            timeout_mins=_timeout(args.get("timeout_mins")),
            disable_rollback=_boolean(args, "disable_rollback"),
            converge=_boolean(args, "converge"),
            adopt_stack_data=_adopt_data(adopt) if adopt else None,
            tags=None if args.get("tags") is None else _tags(args["tags"]),
        )


def _timeout(value: Any) -> int | None:
    if value in ("0", 0, None):
        return None
    try:
        timeout = int(value)
    except (TypeError, ValueError):
        return None
    if timeout <= 0:
        raise ValueError(f"Invalid timeout value {timeout}")
    return timeout


def _boolean(args: Mapping[str, Any], name: str) -> bool | None:
    if name not in args:
        return None
    text = str(args[name]).lower()
    if text not in {"true", "false"}:
        raise ValueError(
            f'Unrecognized value "{args[name]}" for "{name}", acceptable values are: true, false.'
        )
    return text == "true"


def _adopt_data(text: Any) -> Mapping[str, Any]:
    try:
        data: Mapping[str, Any] = parse_any(text)
    except ValueError as error:
        raise ValueError(f"Invalid adopt data: {error}") from error
    return data


def _tags(tags: Any) -> tuple[str, ...]:
    if not isinstance(tags, list):
        raise ValueError(f"Invalid tags, not a list: {tags}")
    for tag in tags:
        if not isinstance(tag, str):
            raise ValueError(f'Invalid tag, "{tag}" is not a string')
        if len(tag) > MAX_TAG_LENGTH:
            raise ValueError(f'Invalid tag, "{tag}" is longer than {MAX_TAG_LENGTH} characters')
        if "," in tag:
            raise ValueError(f'Invalid tag, "{tag}" contains a comma')
    return tuple(tags)


def column_filters(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Filters by column from filters by either spelling; both spellings of one are united.

    A status may be "<ACTION>_<STATUS>"; a text that ends in no status matches nothing.
    """
    columns = {key: value for key, value in filters.items() if key not in _FILTER_COLUMNS}
    for key, column in _FILTER_COLUMNS.items():
        value = filters.get(key)
        if not value:
            continue
        other = columns.get(column)
        columns[column] = [*_listed(value), *_listed(other)] if other else value
    if "status" in columns:
        actions, statuses = _split_statuses(_listed(columns["status"]))
        columns["status"] = statuses[0] if len(statuses) == 1 else statuses
        if actions:
            wanted = sorted({*_listed(columns.get("action", [])), *actions})
            columns["action"] = wanted[0] if len(wanted) == 1 else wanted
    return columns


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _split_statuses(values: list[Any]) -> tuple[list[str], list[str]]:
    actions = set()
    statuses = set()
    for value in values:
        for status in _STATUSES:
            at = str(value).rfind(status)
            if at == -1:
                continue
            statuses.add(value[at:])
            if at > 1:
                actions.add(value[: at - 1])
            break
    return sorted(actions), sorted(statuses)


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts, given as one or as comma-separated text; nothing for None."""
    if not value:
        return ()
    return tuple(value.split(",")) if isinstance(value, str) else tuple(value)


def page_of(wanted: Mapping[str, Any]) -> Page:
    """The page that a list request asks for; ValueError for a limit that is no number."""
    limit = wanted.get("limit")
    return Page(
        sort_keys=texts(wanted.get("sort_keys")),
        sort_dir=wanted.get("sort_dir") or None,
        marker=wanted.get("marker") or None,
        limit=None if limit is None else int(limit),
    )
