"""From an error to where it is in the files, and to the name that was meant.

The texts are those of the API, which say what is wrong and often in what, but never the line. Each
recogniser knows one kind of text, in the order of `_RECOGNISERS`; what none knows is placed by the
path that the error carries.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from heat_app.validate import names
from heat_app.validate.local_files import LocalFiles, MissingFile, NotParsed
from heat_app.validate.places import MarkedText, Place, place_in_message
from heat_core.environment.text import SECTIONS
from heat_core.errors import HeatExceptionWithPath
from heat_core.parameters.schema import CFN_KEYS, CFN_TYPES, CONSTRAINT_KEYS, HOT_KEYS, HOT_TYPES
from heat_core.stack import StackDefinition
from heat_core.template import VERSION_KEYS, VERSIONS, Template, parse_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A mistake for people: in which file, where in it, what it is, and what was meant."""

    url: str
    text: str
    place: Place | None = None
    meant: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    place: Place | None = None
    meant: str | None = None
    url: str | None = None


class Pointer:
    """Points at places in the files of one check."""

    def __init__(
        self,
        root: str,
        environments: Iterable[str],
        files: LocalFiles,
        definition: StackDefinition | None,
    ) -> None:
        self.root = root
        self.environments = tuple(environments)
        self.definition = definition
        self._files = files
        self._marked: dict[str, MarkedText] = {}
        self._definitions: dict[str, StackDefinition | None] = {}

    def marked(self, url: str | None = None) -> MarkedText:
        """The text behind a URL, by default the template's, ready to find things in."""
        url = url or self.root
        if url not in self._marked:
            self._marked[url] = MarkedText(self._files.texts.get(url, ""))
        return self._marked[url]

    def point(self, error: Exception) -> Finding:
        """Where the error is."""
        text = _as_lines_of_text(str(error)) or type(error).__name__
        if isinstance(error, MissingFile):
            places = self.marked(error.named_in).scalars(error.named)
            return Finding(url=error.named_in, text=text, place=_first(places))
        if isinstance(error, NotParsed):
            return self._not_parsed(error)
        url, path = self._split(error)
        found = self._recognised(text, path, url, error)
        place = found.place or self.marked(url).find(path)
        return Finding(url=found.url or url, text=text, place=place, meant=found.meant)

    # --- what could not be read --------------------------------------------------------------

    def _not_parsed(self, error: NotParsed) -> Finding:
        text = str(error)
        marked = self.marked(error.url)
        place, meant = place_in_message(text), None
        wrong = re.match(r'environment has (?:wrong|empty) section "(.*)"', text)
        if wrong is not None:
            place, meant = marked.find(wrong[1]), names.nearest(wrong[1], SECTIONS)
        elif text.startswith("Template format version not found"):
            for key in marked.value_at("") or ():
                meant = names.nearest(key, VERSION_KEYS)
                if meant is not None:
                    place = marked.find(key)
                    break
        return Finding(
            url=error.url, text=_without_excerpt(text), place=place or Place(1, 1), meant=meant
        )

    # --- what the check says -----------------------------------------------------------------

    def definition_of(self, url: str) -> StackDefinition | None:
        """What the template behind a URL defines, as far as that can be told."""
        if url == self.root:
            return self.definition
        if url not in self._definitions:
            self._definitions[url] = None
            with suppress(Exception):  # it is only asked for names that could have been meant
                document = parse_text(self._files.sent[url])
                template = Template(document, files=self._files.sent)
                self._definitions[url] = StackDefinition.build(template)
        return self._definitions[url]

    def _split(self, error: Exception) -> tuple[str, str]:
        """The file that an error's path ends in, and the path in it.

        A path into a nested template names it: `resources.a<file:///t.yaml>.resources.b`. One into
        a template that a group has made is taken back to what the group says of its members.
        """
        path, url = path_of(error), self.root
        while (nested := re.match(r"(.*?)<([^<>]*)>\.?(.*)", path, re.DOTALL)) is not None:
            if nested[2] not in self._files.texts:
                return url, self._member_path(url, nested[1], nested[3])
            url, path = nested[2], nested[3]
        return url, path

    def _member_path(self, url: str, group: str, inner: str) -> str:
        below = re.sub(r"^resources(?:\[\d+\]|\.[^.\[]+)\.?", "", inner)
        for name in names.MEMBER_PROPERTIES:
            path = f"{group}.properties.{name}"
            if self.marked(url).has(path):
                return f"{path}.{below}" if below else path
        return group

    def _recognised(self, text: str, path: str, url: str, error: Exception) -> _Found:
        for pattern, recognise in _RECOGNISERS:
            match = pattern.search(text)
            if match is not None:
                return recognise(_Case(self, match, path, url, error))
        return _Found()


@dataclass(frozen=True, slots=True)
class _Case:
    """One error as a recogniser sees it."""

    pointer: Pointer
    match: re.Match[str]
    path: str
    url: str
    error: Exception

    @property
    def name(self) -> str:
        return self.match[1]

    @property
    def marked(self) -> MarkedText:
        return self.pointer.marked(self.url)

    @property
    def definition(self) -> StackDefinition | None:
        """What the template that the error is in defines, if that can be told."""
        return self.pointer.definition_of(self.url)

    def scalar(self, text: str, below: str = "") -> Place | None:
        return _first(self.marked.scalars(text, below))

    def entry(self, key: str, value: str | None = None, below: str = "") -> Place | None:
        places = self.marked.entries(key, value)
        return _first([one for one in places if one.path.startswith(below)])


def _first(places: list[Place]) -> Place | None:
    return places[0] if places else None


def _as_lines_of_text(text: str) -> str:
    """A message that ends in a text as Python writes it, without the quotes and `\\n` of that."""
    quoted = _PYTHON_TEXT.fullmatch(text)
    if quoted is None:
        return text
    with suppress(ValueError, SyntaxError):
        words = str(ast.literal_eval(quoted[2])).split()
        return f"{quoted[1]}{' '.join(words)}"
    return text


_PYTHON_TEXT = re.compile(r"""((?:[\w.<>\[\]/ -]+: )+)('.*\\n.*')""")


def _without_excerpt(text: str) -> str:
    """The words of a parser's message, without the lines that it quotes."""
    kept = [
        line.strip()
        for line in text.splitlines()
        if line.strip() and not line.startswith(("    ", "  in "))
    ]
    return ", ".join(kept).replace("Error parsing template [root stack] ", "")


def path_of(error: Exception) -> str:
    """The path that the error carries, dotted, indexes in brackets; "" for none."""
    if not isinstance(error, HeatExceptionWithPath):
        return ""
    shown = ""
    for part in error.path:
        text = str(part)
        if isinstance(part, int) or text.isdigit():
            shown += f"[{text}]"
        else:
            shown = f"{shown}.{text}" if shown else text
    return shown


# --- the kinds of texts ----------------------------------------------------------------------


def _unknown_type(case: _Case) -> _Found:
    place = case.entry("type", case.name) or case.entry("Type", case.name)
    if place is None:
        place = case.marked.find(case.path) or case.scalar(case.name)
    return _Found(place, names.nearest(case.name, names.type_names(case.definition)))


def _unknown_property(case: _Case) -> _Found:
    known = names.property_names(case.definition, case.path)
    return _Found(case.marked.find(f"{case.path}.{case.name}"), names.nearest(case.name, known))


def _unknown_reference(case: _Case) -> _Found:
    where = case.path or _reference_path(case)
    place = case.scalar(case.name, where) or case.marked.find(where) or case.scalar(case.name)
    return _Found(place, names.nearest(case.name, names.resource_names(case.definition)))


def _reference_path(case: _Case) -> str:
    """Where a reference stands, from its own words: `a.Properties.value[0]`."""
    found = case.marked.find(f"resources.{case.match[2]}")
    if found is None:
        found = case.marked.find(f"Resources.{case.match[2]}")
    return "" if found is None else found.path


def _unknown_attribute(case: _Case) -> _Found:
    attribute = case.match[2]
    known = names.attribute_names(case.definition, case.name)
    return _Found(case.scalar(attribute, case.path), names.nearest(attribute, known))


def _unknown_parameter(case: _Case) -> _Found:
    known = names.parameter_names(case.definition)
    for url in case.pointer.environments:
        for section in ("parameters", "parameter_defaults"):
            marked = case.pointer.marked(url)
            if marked.has(f"{section}.{case.name}"):
                place = marked.find(f"{section}.{case.name}")
                return _Found(place, names.nearest(case.name, known), url)
    return _Found(None, names.nearest(case.name, known))


def _parameter_not_given(case: _Case) -> _Found:
    known = names.parameter_names(case.definition)
    if case.name in known:
        return _Found(_parameter_place(case, case.name))
    place = case.scalar(case.name, case.path) or case.scalar(case.name)
    return _Found(place, names.nearest(case.name, known))


def _parameter_place(case: _Case, name: str) -> Place | None:
    for section in ("parameters", "Parameters"):
        if case.marked.has(f"{section}.{name}"):
            return case.marked.find(f"{section}.{name}")
    return None


def _of_parameter(case: _Case) -> _Found:
    return _Found(_parameter_place(case, case.name))


def _bad_default(case: _Case) -> _Found:
    """The default that a template gives a parameter."""
    for section, key in (("parameters", "default"), ("Parameters", "Default")):
        path = f"{section}.{case.name}.{key}"
        if case.marked.has(path):
            return _Found(case.marked.place_of_value(path))
    return _of_parameter(case)


def _bad_value(case: _Case) -> _Found:
    """The value of a parameter: the last environment's that has one, the user's, the default."""
    for url in reversed(case.pointer.environments):
        for section in ("parameters", "parameter_defaults"):
            path = f"{section}.{case.name}"
            if case.pointer.marked(url).has(path):
                return _Found(case.pointer.marked(url).place_of_value(path), url=url)
    definition = case.pointer.definition
    if definition is None or case.name not in definition.parameters:
        return _of_parameter(case)
    given = definition.parameters.get_parameter(case.name).user_value is not None
    return _of_parameter(case) if given else _bad_default(case)


def _parameter_key(case: _Case) -> _Found:
    place = _parameter_place(case, f"{case.match[2]}.{case.name}")
    keys = CFN_KEYS if _is_cfn(case) else (*HOT_KEYS, "tags")
    return _Found(place, names.nearest(case.name, keys))


def _is_cfn(case: _Case) -> bool:
    return "Parameters" in (case.marked.value_at("") or ())


def _constraint_key(case: _Case) -> _Found:
    return _Found(case.entry(case.name), names.nearest(case.name, CONSTRAINT_KEYS))


def _parameter_type(case: _Case) -> _Found:
    if _is_cfn(case):
        place = case.entry("Type", case.name, "Parameters")
        return _Found(place, names.nearest(case.name, CFN_TYPES))
    place = case.entry("type", case.name, "parameters")
    return _Found(place, names.nearest(case.name, HOT_TYPES))


def _unknown_section(case: _Case) -> _Found:
    known: Iterable[str] = ()
    if case.pointer.definition is None:
        for version in VERSIONS:
            if case.marked.value_at(version.key) == version.value:
                known = version.sections
    else:
        known = case.pointer.definition.template.version.sections
    return _Found(case.marked.find(case.name), names.nearest(case.name, known))


def _unknown_condition(case: _Case) -> _Found:
    place = case.scalar(case.name, case.path) or case.marked.place_of_value(case.path)
    place = place or case.marked.find(case.path)
    return _Found(place, names.nearest(case.name, names.condition_names(case.definition)))


def _bad_condition(case: _Case) -> _Found:
    place, meant = None, None
    for section in ("conditions", "Conditions"):
        path = f"{section}.{case.name}"
        keys = case.marked.value_at(path)
        place = place or case.marked.find(path)
        if isinstance(keys, list) and len(keys) == 1 and case.pointer.definition is not None:
            known = case.pointer.definition.template.version.condition_functions
            meant = names.nearest(keys[0], known)
            place = case.marked.find(f"{path}.{keys[0]}") or place
            break
    return _Found(place, meant)


def _resource_key(case: _Case) -> _Found:
    known: Iterable[str] = ()
    if case.pointer.definition is not None:
        known = case.pointer.definition.template.version.resource_keys
    known = known or ("type", "properties", "metadata", "depends_on", "update_policy")
    place = case.entry(case.name, below="resources")
    return _Found(place, names.nearest(case.name, known))


def _deletion_policy(case: _Case) -> _Found:
    place = case.entry("deletion_policy", case.name) or case.entry("DeletionPolicy", case.name)
    return _Found(place, names.nearest(case.name, ("Delete", "Retain", "Snapshot")))


def _of_resource(case: _Case) -> _Found:
    for section in ("resources", "Resources"):
        place = case.marked.find(".".join([section, *case.match.groups()]))
        if place is not None and place.path != section:
            return _Found(place)
    return _Found()


def _without_type(case: _Case) -> _Found:
    for section, key in (("resources", "type"), ("Resources", "Type")):
        for name in case.marked.value_at(section) or ():
            keys = case.marked.value_at(f"{section}.{name}")
            if not isinstance(keys, list) or key not in keys:
                return _Found(case.marked.find(f"{section}.{name}"))
    return _Found()


def _output_without_value(case: _Case) -> _Found:
    keys = case.marked.value_at(case.path) or ()
    for key in keys:
        if names.nearest(key, (case.name,)) is not None:
            return _Found(case.marked.find(f"{case.path}.{key}"), case.name)
    return _Found()


def _unknown_version(case: _Case) -> _Found:
    key, value = case.name, case.match[2]
    known = [version.value for version in VERSIONS if version.key == key]
    return _Found(case.marked.place_of_value(key), names.nearest(value, known))


def _grouped_parameter(case: _Case) -> _Found:
    known = names.parameter_names(case.definition)
    return _Found(case.scalar(case.name, "parameter_groups"), names.nearest(case.name, known))


def _bad_pattern(case: _Case) -> _Found:
    # Read with the request it comes as the cause of a user's error.
    pattern = getattr(case.error.__cause__ or case.error, "pattern", None)
    if not isinstance(pattern, str):
        return _Found()
    place = case.entry("allowed_pattern", pattern) or case.entry("AllowedPattern", pattern)
    return _Found(place)


def _section(case: _Case) -> _Found:
    return _Found(case.marked.find(case.name))


_RECOGNISERS: tuple[tuple[re.Pattern[str], Callable[[_Case], _Found]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), recognise)
    for pattern, recognise in (
        (r"The Resource Type \((.+)\) could not be found", _unknown_type),
        (r"Unknown Property (.+)$", _unknown_property),
        (r'The specified reference "(.+)" \(in (.+)\) is incorrect', _unknown_reference),
        (r"The Referenced Attribute \((\S+) (.+)\) is incorrect", _unknown_attribute),
        (r"The Parameter \((.+)\) was not defined in template", _unknown_parameter),
        (r"The Parameter \((.+)\) was not provided", _parameter_not_given),
        (r"The template section is invalid: (.+)$", _unknown_section),
        (r'Invalid condition "(.+)"', _unknown_condition),
        (r'The definition of condition "(.+)" is invalid', _bad_condition),
        (r'Circular definition for condition "(.+)"', _bad_condition),
        (r"Invalid key '(.+)' for parameter \((.+)\)", _parameter_key),
        (r"Invalid key '(.+)' for parameter constraints", _constraint_key),
        (r"Invalid type \((.+)\)", _parameter_type),
        (r'"(.+)" is not a valid keyword inside a resource definition', _resource_key),
        (r"Invalid keyword\(s\) inside a resource definition: ([^,]+)", _resource_key),
        (r'Invalid deletion policy "(.+)"', _deletion_policy),
        (r"Each output definition must contain a (\w+) key", _output_without_value),
        (r"^Circular Dependency Found: .*?\"(.+?)\"", _of_resource),
        (r"^Duplicate names \{'(.+?)'", _of_resource),
        (r"^Resource (\S+) (\S+) (?:type must be|must be a list)", _of_resource),
        (r'^Resource (\S+) is missing "', _of_resource),
        (r"must contain a [Tt]ype key", _without_type),
        (r"must contain (?:a map of resource maps|Resource)\.", _without_type),
        (r'version is invalid: "(\w+): (.+?)"', _unknown_version),
        (r"The grouped parameter (.+) does not reference", _grouped_parameter),
        (r"^Parameter '(.+?)' is invalid: Invalid default ", _bad_default),
        (r"^Parameter '(.+?)' is invalid", _bad_value),
        (r"for parameter:? \(?(\w+)\)?", _of_parameter),
        (r"^(\w+): Expected a map", _section),
        (r"", _bad_pattern),
    )
)


def source_line(pointer: Pointer, finding: Finding) -> str:
    """The line that a finding points at."""
    return "" if finding.place is None else pointer.marked(finding.url).line(finding.place.line)


__all__ = ["Finding", "Pointer", "path_of", "source_line"]
