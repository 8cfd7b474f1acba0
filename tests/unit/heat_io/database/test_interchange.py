"""The real Heat reads what is written here, and the other way round; where Heat is installed."""

from __future__ import annotations

import json
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from heat_core.stack.ids import EngineId
from heat_core.stack.records import EventRecord, SyncPointRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    Cipher,
    UserCreds,
    events,
    properties_data,
    resource_data,
    resources,
    stacks,
    sync_points,
    tags,
    templates,
    user_creds,
)
from heat_io.database.ambient import OPTION

KEY = "abcdefghijklmnopqrstuvwxyz012345"

PRELUDE = """
    import json, sys
    from oslo_config import cfg
    import heat.engine.service, heat.common.crypt
    cfg.CONF([], project="heat")
    cfg.CONF.set_override("connection", sys.argv[1], "database")
    cfg.CONF.set_override("auth_encryption_key", sys.argv[2])
    cfg.CONF.set_override("encrypt_parameters_and_properties", True)
    from heat.common import context
    from heat.db import api
    from heat.engine import template
    from heat.objects import (event, raw_template, resource, resource_properties_data,
                              stack, stack_tag, sync_point, user_creds)
    c = context.RequestContext(project_id="p1", is_admin=False, user_id="u")
"""

READ = """
    s = next(iter(stack.Stack.get_all(c)))
    t = template.Template.load(c, s.raw_template_id)
    r = resource.Resource.get_all_by_stack(c, s.id)["r"]
    e = next(iter(event.Event.get_all_by_stack(c, s.id)))
    p = sync_point.SyncPoint.get_by_key(c, str(r.id), "tr", True)
    print(json.dumps({
        "name": s.name, "deps": s.current_deps, "tags": [tag.tag for tag in s.tags],
        "parameters": t.env.user_env_as_dict()["parameters"], "files": dict(t.files),
        "requires": r.requires, "needed_by": r.needed_by, "metadata": r.rsrc_metadata,
        "properties": r.properties_data, "atomic_key": r.atomic_key,
        "data": api.resource_data_get_all(c, r.id),
        "event": [e.resource_action, e.resource_properties],
        "trust": user_creds.UserCreds.get_by_id(c, s.user_creds_id).trust_id,
        "input_data": p.input_data, "extra_data": p.extra_data}))
"""

WRITE = """
    t = raw_template.RawTemplate.create(c, {"template": {"a": 1}, "environment": {
        "parameters": {}, "encrypted_param_names": []}})
    s = stack.Stack.create(c, {
        "name": "heats", "raw_template_id": t.id, "tenant": "p1", "action": "UPDATE",
        "status": "FAILED", "status_reason": "x", "disable_rollback": True, "timeout": 3,
        "convergence": True, "current_traversal": "t2", "nested_depth": 0, "backup": False})
    stack_tag.StackTagList.set(c, s.id, ["x", "y"])
    r = resource.Resource.create(c, {
        "stack_id": s.id, "name": "hr", "action": "INIT", "status": "COMPLETE",
        "status_reason": "", "requires": [3, 1], "needed_by": [], "root_stack_id": s.id,
        "current_template_id": t.id, "rsrc_metadata": {"q": 1}})
    seal = resource_properties_data.ResourcePropertiesData.encrypt_properties_data
    d = seal({"k": [1, "\\u00e9"]})
    row = api.resource_prop_data_create(c, {"encrypted": d[0], "data": d[1]})
    resource.Resource.select_and_update_by_id(
        c, r.id, {"engine_id": "E", "rsrc_prop_data_id": row.id}, None, None)
    api.resource_data_set(c, r.id, "k", "secret", redact=True)
    sync_point.SyncPoint.create(c, {
        "entity_id": str(r.id), "stack_id": s.id, "traversal_id": "t2", "is_update": True,
        "atomic_key": 0, "input_data": {}})
    c.trust_id, c.trustor_user_id = "heats trust", "tt"
    u = user_creds.UserCreds.create(c)
    stack.Stack.update_by_id(c, s.id, {"user_creds_id": u.id})
"""


@pytest.fixture(scope="module")
def heat() -> Path:
    """The Python of the real Heat."""
    path = Path.home() / ".cache" / "heat-reference" / "venv" / "bin" / "python"
    if not path.exists():
        pytest.skip("not run: no Heat installed for comparison")
    return path


@pytest.fixture
def backend() -> str:
    return "sqlite"


def run(heat: Path, url: str, script: str) -> str:
    text = textwrap.dedent(PRELUDE) + textwrap.dedent(script)
    done = subprocess.run(
        [heat, "-c", text, url, KEY], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def engine(url: str):
    around = Ambient(cipher=Cipher(KEY, encrypt_properties=True))
    made = create_engine(url, execution_options={OPTION: around})
    yield made
    made.dispose()


def write_ours(connection: Any, build: Any) -> None:
    template = templates.insert(
        connection,
        {
            "heat_template_version": "2018-08-31",
            "parameters": {"p": {"type": "string", "hidden": True}},
        },
        {"parameters": {"p": "sécret"}, "encrypted_param_names": []},
        {"f.yaml": "x: é"},
        secret_parameters=["p"],
    )
    creds_id = user_creds.insert(connection, UserCreds(trust_id="our trust", tenant="demo"))
    stack = build.stack(
        connection,
        "ours",
        raw_template_id=template.id,
        user_creds_id=creds_id,
        current_traversal="tr",
        current_deps={"edges": [[[1, True], None]]},
    )
    tags.replace(connection, stack.id, ["t1", "t2"])
    data_id = properties_data.insert(connection, {"a": [1, {"b": None}], "z": "é"})
    row = build.stored(
        connection,
        stack,
        "r",
        properties_data_id=data_id,
        requires=(1, 5, 3),
        metadata={"m": 1},
    )
    resource_data.set_many(connection, row.id, {"k": "v", "s": "sécret"}, redact=["s"])
    event = EventRecord(
        uuid=build.uuid(),
        stack_id=stack.id,
        resource_action="CREATE",
        resource_status="COMPLETE",
        resource_name="r",
        physical_resource_id="x",
        resource_status_reason="state changed",
        resource_type="OS::Heat::None",
        properties_data_id=data_id,
    )
    events.insert_many(connection, [event])
    point = SyncPointRecord(
        entity_id=str(row.id),
        traversal_id="tr",
        is_update=True,
        stack_id=stack.id,
        input_data={"tuple:(1, True, 'resource')": {"id": 1}},
    )
    sync_points.insert_many(connection, [point])


def test_heat_reads_what_is_written_here(heat: Path, url: str, engine, build) -> None:
    with engine.begin() as connection:
        write_ours(connection, build)
    assert json.loads(run(heat, url, READ)) == {
        "name": "ours",
        "deps": {"edges": [[[1, True], None]]},
        "tags": ["t1", "t2"],
        "parameters": {"p": "sécret"},
        "files": {"f.yaml": "x: é"},
        "requires": [5, 3, 1],
        "needed_by": [],
        "metadata": {"m": 1},
        "properties": {"a": [1, {"b": None}], "z": "é"},
        "atomic_key": None,
        "data": {"k": "v", "s": "sécret"},
        "event": ["CREATE", {"a": [1, {"b": None}], "z": "é"}],
        "trust": "our trust",
        "input_data": {"tuple:(1, True, 'resource')": {"id": 1}},
        "extra_data": None,
    }


def test_what_heat_writes_is_read_here(heat: Path, url: str, engine) -> None:
    run(heat, url, WRITE)
    with engine.connect() as connection:
        stack = stacks.fetch_by_name(connection, "p1", "heats")
        assert stack is not None
        (row,) = resources.fetch_by_stack(
            connection, stack.id, with_properties=True, with_data=True
        )
        (point,) = sync_points.fetch_for_traversal(connection, stack.id, "t2")
        template = templates.fetch(connection, stack.raw_template_id)
        found_tags = tags.fetch(connection, stack.id)
        creds = user_creds.fetch(connection, stack.user_creds_id or 0)
    assert (stack.action, stack.status, stack.timeout) == (Action.UPDATE, Status.FAILED, 3)
    assert (stack.current_deps, stack.deleted_at) == (None, None)
    assert template is not None
    assert template.template == {"a": 1}
    assert found_tags == ("x", "y")
    assert (row.engine_id, row.atomic_key, row.requires) == (EngineId("E"), 1, (3, 1))
    assert (row.metadata, row.properties) == ({"q": 1}, {"k": [1, "é"]})
    assert row.data == {"k": "secret"}
    assert (point.entity_id, point.input_data) == (str(row.id), {})
    assert creds is not None
    assert creds.trust_id == "heats trust"
