"""A user's mistake is a user's error, whatever the template."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heat_core.environment import Environment, parse_environment
from heat_core.errors import HeatException, StackValidationFailed
from heat_core.stack import StackDefinition
from heat_core.stack.mistakes import requests_mistake, users_mistake
from heat_core.template import VERSIONS, Template, parse_text

FUNCTIONS = sorted(
    {name for one in VERSIONS for name in (*one.functions, *one.condition_functions)}
)
WORDS = ["r1", "p1", "c1", "", "x,y", "value", "$.data", "(", "[a", "%x%", "ip_addr", "a/b"]
TYPES = ["OS::Heat::Value", "OS::Heat::None", "OS::Heat::RandomString", "OS::Heat::TestResource"]
RESOURCE_KEYS = ["properties", "metadata", "depends_on", "deletion_policy", "update_policy"]
RESOURCE_KEYS += ["description", "external_id", "condition", "zzz"]
PARAMETER_KEYS = ["default", "constraints", "hidden", "label", "tags", "immutable"]
CONSTRAINTS = ["length", "range", "modulo", "allowed_values", "allowed_pattern"]
CONSTRAINTS += ["custom_constraint", "description"]

scalars = st.sampled_from([*WORDS, 0, 1, -1, 2.5, True, False, None, 10**30])
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(FUNCTIONS), inner, min_size=1, max_size=1),
        st.dictionaries(
            st.sampled_from(["template", "params", "for_each", "expression", "min", "type", "a"]),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)
kinds = st.sampled_from(["string", "number", "json", "comma_delimited_list", "boolean", "zzz"])
constraints = st.lists(st.dictionaries(st.sampled_from(CONSTRAINTS), values, max_size=2))
parameters = st.one_of(
    values,
    st.builds(
        lambda kind, rest, limits: {"type": kind, **rest, **limits},
        kinds,
        st.dictionaries(st.sampled_from(PARAMETER_KEYS), values, max_size=2),
        st.one_of(st.just({}), st.fixed_dictionaries({"constraints": constraints})),
    ),
)
resources = st.one_of(
    values,
    st.builds(
        lambda kind, rest: {"type": kind, **rest},
        st.one_of(st.sampled_from(TYPES), values),
        st.dictionaries(st.sampled_from(RESOURCE_KEYS), values, max_size=3),
    ),
)
outputs = st.one_of(values, st.fixed_dictionaries({"value": values}))


def _section(content: st.SearchStrategy[Any], *names: str) -> st.SearchStrategy[Any]:
    return st.one_of(values, st.dictionaries(st.sampled_from(names), content, max_size=2))


documents = st.fixed_dictionaries(
    {"heat_template_version": st.sampled_from([v.value for v in VERSIONS if v.dialect == "hot"])},
    optional={
        "parameters": _section(parameters, "p1", "p2"),
        "conditions": _section(values, "c1", "c2"),
        "resources": _section(resources, "r1", "r2"),
        "outputs": _section(outputs, "o1", "o2"),
        "parameter_groups": values,
    },
)


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(documents, values, st.booleans())
def test_no_template_makes_the_service_fail(document: Any, value: Any, strict: bool) -> None:
    template = Template(document, environment=Environment({"parameters": {"p1": value}}))
    try:
        definition = StackDefinition.build(template, stack_name="s", stack_id="i", project_id="p")
        definition.validate(strict)
        for name in definition.resources:
            definition.referenced_attributes(name)
    except HeatException:
        return


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet="abk:-[]{},&*!<>|'\"#%@ \n\t0129~?\x00\x7f☃", max_size=60))
def test_no_text_makes_the_loader_fail(text: str) -> None:
    for load in (parse_text, parse_environment):
        try:
            load(f"heat_template_version: rocky\n{text}")
        except ValueError:
            continue


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_no_bytes_make_the_loader_fail(content: bytes) -> None:
    try:
        parse_text(content.decode("latin-1"))
    except ValueError:
        return


def test_what_is_turned_into_a_users_error_and_what_is_not() -> None:
    with pytest.raises(StackValidationFailed, match=r"^a\.b: no$"), users_mistake("a", "b"):
        raise TypeError("no")
    with pytest.raises(StackValidationFailed, match="nests too deeply"), users_mistake():
        raise RecursionError
    with pytest.raises(AssertionError), users_mistake():
        raise AssertionError
    with pytest.raises(HeatException), users_mistake("a"):
        raise HeatException


def test_what_a_request_brings_keeps_the_errors_that_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match=r"^no$") as told, requests_mistake():
        raise ValueError("no")
    assert type(told.value) is ValueError
    for error in (TypeError("no"), KeyError("no"), UnicodeEncodeError("utf-8", "x", 0, 1, "no")):
        with pytest.raises(StackValidationFailed, match="no"), requests_mistake():
            raise error
    with pytest.raises(AssertionError), requests_mistake():
        raise AssertionError
