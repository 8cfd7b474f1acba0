from __future__ import annotations

from typing import Any

import pytest

from heat_app.engine.drafts import Sources, new_template, patched_template
from heat_core import errors
from heat_core.stack import TemplateId, TemplateRecord

NESTED = "heat_template_version: 2018-08-31\nparameters:\n  inner: {type: comma_delimited_list}\n"


def _sources(template: Any, **given: Any) -> Sources:
    arguments = {
        "params": None,
        "files": None,
        "environment_files": None,
        "files_container": None,
        **given,
    }
    return Sources.of_request(template, **arguments)


def test_a_request_needs_a_template() -> None:
    with pytest.raises(errors.NotSupported):
        new_template(_sources(None))


def test_parameters_of_templates_among_the_files_are_merged_too(template: Any) -> None:
    files = {
        "nested.yaml": NESTED,
        "notes.txt": "- no template",
        "one": "parameters:\n  inner: a\nparameter_merge_strategies:\n  inner: merge\n",
        "two": "parameters:\n  inner: b\nparameter_merge_strategies:\n  inner: merge\n",
    }
    merged = new_template(_sources(template, files=files, environment_files=["one", "two"]))
    assert merged.environment.parameters == {"inner": "a,b"}
    assert merged.files == files


def test_without_environment_files_the_environment_is_the_requests(template: Any) -> None:
    params = {"parameters": {"p": "x"}, "parameter_defaults": {"h": "d"}}
    given = new_template(_sources(template, params=params))
    assert given.environment.parameters == {"p": "x"}
    assert given.environment.parameter_defaults == {"h": "d"}


def test_a_patch_keeps_the_stored_environment_under_the_requests(template: Any) -> None:
    stored = {
        "parameters": {"p": "old", "h": "old"},
        "parameter_defaults": {"p": "d"},
        "resource_registry": {"OS::My::Type": "OS::Heat::None"},
    }
    record = TemplateRecord(id=TemplateId(1), template=template, environment=stored)
    sources = _sources(None, params={"parameters": {"p": "new"}}, files={"b": "2"})
    patched = patched_template(record, {"a": "1"}, sources, [])
    assert patched.document == template
    assert patched.environment.parameters == {"p": "new", "h": "old"}
    assert patched.environment.parameter_defaults == {"p": "d"}
    assert patched.environment.stored()["resource_registry"] == {
        "OS::My::Type": "OS::Heat::None",
        "resources": {},
    }
    assert patched.files == {"a": "1", "b": "2"}
    assert stored["parameters"] == {"p": "old", "h": "old"}


def test_hidden_parameters_are_secret(template: Any) -> None:
    assert new_template(_sources(template)).hidden_parameters() == ["h"]
