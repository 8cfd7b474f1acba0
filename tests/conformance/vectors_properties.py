"""Runs the kinds of properties.jsonl: property values, diffs, translation and conversions.

Each runner takes a vector's `input` and returns what `expect` should hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from heat_core.errors import (
    EntityNotFound,
    InvalidSchemaError,
    StackValidationFailed,
    UpdateReplace,
)
from heat_core.properties import (
    OMITTED,
    AllowedPattern,
    AllowedValues,
    Answers,
    Constraint,
    Custom,
    Dialect,
    Finder,
    Kind,
    Length,
    Modulo,
    Prop,
    Properties,
    Question,
    Range,
    Rule,
    changed_names,
    from_parameter,
    to_parameters,
)
from heat_core.resources import Change, ResourceType, ResourceView, check_allowed


def error_form(error: Exception, **more: Any) -> dict[str, Any]:
    """An exception as vectors spell it."""
    form: dict[str, Any] = {"type": type(error).__name__, "message": str(error), **more}
    if isinstance(error, StackValidationFailed):
        form["path"] = [
            int(part) if isinstance(part, str) and part.isdigit() else part for part in error.path
        ]
        if error.error:
            form["error"] = error.error
    if isinstance(error, KeyError):
        form["message"] = str(error)
    return form


def read_constraint(form: Mapping[str, Any]) -> Constraint:
    """A constraint from its HOT spelling."""
    description = form.get("description")
    for name, value in form.items():
        match name:
            case "range":
                return Range(value.get("min"), value.get("max"), description)
            case "length":
                return Length(value.get("min"), value.get("max"), description)
            case "modulo":
                return Modulo(value.get("step"), value.get("offset"), description)
            case "allowed_values":
                return AllowedValues(value, description)
            case "allowed_pattern":
                return AllowedPattern(value, description)
            case "custom_constraint":
                return Custom(value, description)
    raise AssertionError(f"a constraint of no known kind: {form}")


def read_schema(form: Mapping[str, Any]) -> Prop:
    """A property schema from its JSON form."""
    rest = {
        key: value for key, value in form.items() if key not in ("type", "constraints", "schema")
    }
    if form["type"] not in Kind:
        raise InvalidSchemaError(message=f"Invalid type ({form['type']})")
    constraints = [read_constraint(item) for item in form.get("constraints", ())]
    children = form.get("schema")
    if children is not None:
        single = isinstance(children.get("type"), str)
        rest["schema"] = (
            read_schema(children)
            if single
            else {name: read_schema(child) for name, child in children.items()}
        )
    return Prop.of(Kind(form["type"]), constraints=constraints, **rest)


def read_schemas(forms: Mapping[str, Any]) -> dict[str, Prop]:
    return {name: read_schema(form) for name, form in forms.items()}


def _attempt(read: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"value": read()}
    except Exception as error:  # every outcome is compared with the vector's
        return {"error": error_form(error)}


def _fault(check: Callable[[], None]) -> dict[str, Any] | None:
    return _attempt(check).get("error")


def run_properties(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        schema = read_schemas(given["schema"])
    except Exception as error:
        return {"error": error_form(error, phase="schema")}

    def fresh() -> Properties:
        return Properties(
            schema,
            given["data"],
            resolve=_without_marks,
            section="Properties",
            description=given.get("resource_description"),
        )

    return {
        "value": {
            "validate": _fault(lambda: fresh().validate()),
            "validate_structure_only": _fault(lambda: fresh().validate(with_values=False)),
            "values": {key: _attempt(lambda key=key: fresh()[key]) for key in schema},
            "user_values": {
                key: _attempt(lambda key=key: fresh().user_value(key)) for key in schema
            },
        }
    }


def run_diff(given: Mapping[str, Any]) -> dict[str, Any]:
    schema = read_schemas(given["schema"])
    before, after = (Properties(schema, given[side]) for side in ("old", "new"))

    def difference() -> Any:
        changed = changed_names(before, after)
        change = Change(changed=changed, before={}, after={name: after[name] for name in changed})
        try:
            check_allowed(_AnyType(ResourceView(name="r")), "Vec::Res", change, schema)
        except UpdateReplace:
            return "UpdateReplace"
        return {"changed": change.difference}

    return _attempt(difference)


class _AnyType(ResourceType):
    """A type without behaviour of its own."""


def _without_marks(tree: Any) -> Any:
    return OMITTED if tree == {"$omitted": True} else tree


def run_translation(given: Mapping[str, Any]) -> dict[str, Any]:
    schema = read_schemas(given["schema"])
    lookup = given.get("lookup", {})

    def values(*, validate: bool = False, resolve: bool = True, ignore: bool = False) -> Any:
        answers = Answers()
        try:
            rules = [_read_rule(rule) for rule in given["rules"]]
        except ValueError as error:
            return {"error": error_form(error)}
        while True:
            properties = Properties(schema, given["data"], answers=answers)
            properties.translation.set_rules(rules, resolve=resolve, ignore_errors=ignore)
            outcome = _attempt(lambda: _read_all(properties, validate))  # noqa: B023 - used at once
            if not answers.missing:
                return outcome
            for question in answers.next_questions():
                assert isinstance(question, Question)
                answers.put_id(question, _look_up(lookup, question))

    results = {"values": values(), "values_after_validate": values(validate=True)}
    if any(rule["rule"] == "Resolve" for rule in given["rules"]):
        results["values_ignoring_errors"] = values(ignore=True)
        results["values_without_client"] = values(resolve=False)
    return {"value": results}


def _read_all(properties: Properties, validate: bool) -> dict[str, Any]:
    if validate:
        properties.validate()
    return properties.values_by_name()


def _read_rule(form: Mapping[str, Any]) -> Rule:
    rest = {key: value for key, value in form.items() if key not in ("rule", "path", "entity")}
    if "value_path" in rest:
        rest["value_path"] = tuple(rest["value_path"])
    if form["rule"] == "Resolve":
        rest["finder"] = Finder("vec", "find_thing", form.get("entity"))
    return Rule.read(form["rule"], form["path"], **rest)


def _look_up(lookup: Mapping[str, str], question: Question) -> Any:
    entity = question.finder.entity
    name = f"{entity}/{question.value}" if entity else question.value
    return lookup.get(name, EntityNotFound(entity="Thing", name=question.value))


def run_provider_template(given: Mapping[str, Any]) -> dict[str, Any]:
    schema = read_schemas(given["schema"])

    def convert() -> dict[str, Any]:
        parameters, properties = to_parameters(schema, Dialect(given["template_type"]))
        return {"parameters": parameters, "properties": properties}

    return _attempt(convert)


_PARAMETER_KINDS = {
    "string": Kind.STRING,
    "number": Kind.NUMBER,
    "comma_delimited_list": Kind.LIST,
    "json": Kind.MAP,
    "boolean": Kind.BOOLEAN,
}


def run_schema_from_parameter(given: Mapping[str, Any]) -> dict[str, Any]:
    parameter = given["parameter"]
    prop = from_parameter(
        _PARAMETER_KINDS[parameter["type"]],
        description=parameter.get("description"),
        required="default" not in parameter,
        constraints=[read_constraint(item) for item in parameter.get("constraints", ())],
    )
    return {"value": {"allow_conversion": prop.allow_conversion, "schema": prop.as_dict()}}


RUNNERS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "properties_diff": run_diff,
    "properties": run_properties,
    "properties_translation": run_translation,
    "provider_template": run_provider_template,
    "schema_from_parameter": run_schema_from_parameter,
}
