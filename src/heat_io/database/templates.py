"""The tables `raw_template` and `raw_template_files`.

A template row holds the parsed template and the environment; its files are a row of their own,
never changed once written, since several templates may share it (rules/j-encodings.md#8-9).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from heat_core.stack.ids import FilesId, TemplateId
from heat_core.stack.records import TemplateRecord
from heat_io.database.ambient import ambient
from heat_io.database.schema import raw_template, raw_template_files, resource, stack

_KEYS: Final = select(
    raw_template.c.id,
    raw_template.c.created_at,
    raw_template.c.updated_at,
    raw_template.c.files_id,
).where(raw_template.c.id.in_(bindparam("ids", expanding=True)))

_INSERT: Final = raw_template.insert()
_INSERT_FILES: Final = raw_template_files.insert()
_BY_ID: Final = select(
    raw_template.c.template,
    raw_template.c.environment,
    raw_template.c.files_id,
    raw_template.c.created_at,
    raw_template.c.updated_at,
).where(raw_template.c.id == bindparam("template_id"))
_FILES: Final = select(raw_template_files.c.files).where(
    raw_template_files.c.id == bindparam("stored_id")
)


class TemplateKey(NamedTuple):
    """What a cache knows a stored template by. The id alone is not enough: SQLite reuses ids,
    and re-encryption rewrites rows."""

    id: TemplateId
    created_at: datetime | None
    updated_at: datetime | None
    files_id: FilesId | None


def insert(
    connection: Connection,
    template: Mapping[str, Any],
    environment: Mapping[str, Any],
    files: Mapping[str, str] | None = None,
    *,
    files_id: FilesId | None = None,
    secret_parameters: Collection[str] = (),
) -> TemplateRecord:
    """Store a template. Its files are `files`, or the row `files_id` that is there already.

    Parameters named in `secret_parameters` (the hidden ones) are stored encrypted, if the
    database's cipher says so. The record that comes back has them in clear. When read again they
    are texts, as in Heat.
    """
    now = ambient(connection).now()
    if files_id is None and files:
        result = connection.execute(_INSERT_FILES, {"files": dict(files), "created_at": now})
        files_id = FilesId(_new_id(result.inserted_primary_key))
    stored, shown = _seal(connection, environment, secret_parameters)
    result = connection.execute(
        _INSERT,
        {
            "template": dict(template),
            "environment": stored,
            "files": None,
            "files_id": files_id,
            "created_at": now,
        },
    )
    return TemplateRecord(
        id=TemplateId(_new_id(result.inserted_primary_key)),
        template=template,
        environment=shown,
        files_id=files_id,
        created_at=now,
    )


def fetch(connection: Connection, template_id: TemplateId) -> TemplateRecord | None:
    """The template with its environment decrypted, or None."""
    row = connection.execute(_BY_ID, {"template_id": template_id}).first()
    if row is None:
        return None
    return TemplateRecord(
        id=template_id,
        template=row.template or {},
        environment=_unseal(connection, row.environment or {}),
        files_id=row.files_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def fetch_document(connection: Connection, template_id: TemplateId) -> dict[str, Any]:
    """The template alone, without its environment; empty when it is gone."""
    query = select(raw_template.c.template).where(raw_template.c.id == template_id)
    return dict(connection.execute(query).scalar() or {})


def fetch_event_sinks(
    connection: Connection, template_id: TemplateId
) -> tuple[Mapping[str, Any], ...]:
    """The event sinks of the template's environment, which are never encrypted."""
    query = select(raw_template.c.environment).where(raw_template.c.id == template_id)
    environment = connection.execute(query).scalar() or {}
    return tuple(environment.get("event_sinks") or ())


def fetch_key(connection: Connection, template_id: TemplateId) -> TemplateKey | None:
    """The cache key of the stored template, without reading the template; None if it is gone."""
    return fetch_keys(connection, [template_id]).get(template_id)


def fetch_keys(
    connection: Connection, template_ids: Collection[TemplateId]
) -> dict[TemplateId, TemplateKey]:
    """The cache keys of those templates that are there, by id."""
    if not template_ids:
        return {}
    rows = connection.execute(_KEYS, {"ids": sorted(template_ids)})
    return {row.id: TemplateKey(*row) for row in rows}


def fetch_files(connection: Connection, record: TemplateRecord) -> dict[str, str]:
    """The files of a template, by name. Rows of old releases hold them in the template's row."""
    if record.files_id is not None:
        found = connection.execute(_FILES, {"stored_id": record.files_id}).scalar()
    else:
        query = select(raw_template.c.files).where(raw_template.c.id == record.id)
        found = connection.execute(query).scalar()
    return dict(found or {})


def delete(connection: Connection, template_id: TemplateId) -> None:
    """Delete a template, and its files when no other template has them."""
    files_id = connection.execute(
        select(raw_template.c.files_id).where(raw_template.c.id == template_id)
    ).scalar()
    connection.execute(raw_template.delete().where(raw_template.c.id == template_id))
    if files_id is None:
        return
    shared = select(raw_template.c.id).where(raw_template.c.files_id == files_id).limit(1)
    if connection.execute(shared).first() is None:
        connection.execute(raw_template_files.delete().where(raw_template_files.c.id == files_id))


def delete_unreferenced(
    connection: Connection, template_ids: Collection[TemplateId]
) -> frozenset[TemplateId]:
    """Delete those of `template_ids` that no stack and no resource has; the ids deleted."""
    if not template_ids:
        return frozenset()
    wanted = sorted(template_ids)
    used: set[Any] = set()
    for column in (
        stack.c.raw_template_id,
        stack.c.prev_raw_template_id,
        resource.c.current_template_id,
    ):
        used.update(connection.execute(select(column).where(column.in_(wanted))).scalars())
    unused = [template_id for template_id in wanted if template_id not in used]
    for template_id in unused:
        delete(connection, template_id)
    return frozenset(unused)


def _seal(
    connection: Connection, environment: Mapping[str, Any], names: Collection[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(environment to store, environment to show)."""
    cipher = ambient(connection).cipher
    parameters = dict(environment.get("parameters") or {})
    secret: list[str] = []
    if cipher is not None and cipher.encrypt_properties:
        secret = [name for name in parameters if name in names]
        for name in secret:
            parameters[name] = list(cipher.encrypt(_text(parameters[name])))
    shown = dict(environment)
    if secret or "encrypted_param_names" in shown:
        shown["encrypted_param_names"] = secret
    return (shown | {"parameters": parameters} if secret else shown), shown


def _text(value: Any) -> str | None:
    """What is encrypted of a parameter: its own text. Heat takes texts only; JSON text suits the
    other types of parameters."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _unseal(connection: Connection, environment: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(environment)
    parameters = dict(found.get("parameters") or {})
    for name in found.get("encrypted_param_names") or ():
        value = parameters.get(name)
        # What is not a pair was never encrypted (rules/j-encodings.md#8).
        if isinstance(value, list) and len(value) == 2:
            parameters[name] = ambient(connection).require_cipher().decrypt(*value)
            found["parameters"] = parameters
    return found


def _new_id(key: Any) -> int:
    return int(key[0])
