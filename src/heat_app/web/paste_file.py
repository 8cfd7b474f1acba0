"""api-paste.ini, read without running anything in it.

PasteDeploy's format, as far as APIs of OpenStack use it: `composite` sections that map paths
(urlmap) or choose a pipeline by flavor (heat.api:pipeline_factory), `pipeline`, `app` and `filter`
sections, `use` of another section or of an egg's entry point, `filter-with`, [DEFAULT] and
%(here)s.
"""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

__all__ = ["PasteFile", "PasteProblem", "Stage"]

_URLMAPS: Final = ("egg:Paste#urlmap", "paste.urlmap:urlmap_factory", "heat.api:root_app_factory")
_BY_FLAVOR: Final = "heat.api:pipeline_factory"
_DEPTH: Final = 20


class PasteProblem(ValueError):
    """The file can't be used; the text is a sentence that names it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A filter or an app: its section's name, what makes it, and its other options.

    `factory` is what the section names: `module:callable`, `egg:distribution#name`, or, for Heat's
    own two-step factories, what the second step names.
    """

    name: str
    factory: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PasteFile:
    """A file's sections, by kind and name: ("filter", "cors") -> options."""

    path: Path
    sections: Mapping[tuple[str, str], Mapping[str, str]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises PasteProblem for a file that isn't there or is no such file."""
        parser = configparser.ConfigParser(
            interpolation=None, delimiters=("=", ":"), default_section=" nothing "
        )
        parser.optionxform = str  # type: ignore[assignment,method-assign] # case matters
        try:
            parser.read_string(path.read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise PasteProblem(f"{path} can't be read: {error}") from error
        except configparser.Error as error:
            raise PasteProblem(f"{path} is no api-paste.ini: {error}") from error
        defaults = {"here": str(path.parent), "__file__": str(path)}
        if parser.has_section("DEFAULT"):
            defaults |= dict(parser["DEFAULT"])
        sections = {}
        for title in parser.sections():
            kind, found, name = title.partition(":")
            if found:
                sections[_KINDS.get(kind.strip(), kind.strip()), name.strip()] = {
                    _plain(key): _filled(value, defaults) for key, value in parser[title].items()
                }
        return cls(path, sections)

    def paths(self, app: str) -> Mapping[str, str]:
        """Path -> the name of the app there; {"/": app} for one that maps no paths.

        Raises PasteProblem when there is no such app.
        """
        options = self._app(app)
        if _maker(options) in _URLMAPS:
            return {path: name for path, name in options.items() if path.startswith("/")}
        return {"/": app}

    def stages(self, app: str, flavor: str | None) -> tuple[Stage, ...]:
        """The filters before `app`, outermost first, and the app itself at the end."""
        return tuple(self._stages(app, flavor, _DEPTH))

    def has(self, app: str) -> bool:
        """Whether there is an app of this name."""
        return any((kind, app) in self.sections for kind in ("app", "composite", "pipeline"))

    def _stages(self, app: str, flavor: str | None, depth: int) -> Iterator[Stage]:
        if depth == 0:
            raise PasteProblem(f"{self.path}: the app {app} leads to itself")
        options = self._app(app)
        outer = options.get("filter-with")
        if outer is not None:
            yield self._filter(outer)
        if _maker(options) == _BY_FLAVOR:
            chosen = flavor or "default"
            if chosen not in options:
                raise PasteProblem(
                    f"{self.path}: {app} has no pipeline for [paste_deploy] flavor = {chosen}"
                )
            yield from self._pipeline(options[chosen], flavor, depth)
        elif "pipeline" in options:
            yield from self._pipeline(options["pipeline"], flavor, depth)
        elif "use" in options and self.has(options["use"]):
            yield from self._stages(options["use"], flavor, depth - 1)
        else:
            yield _stage(app, options)

    def _pipeline(self, text: str, flavor: str | None, depth: int) -> Iterator[Stage]:
        *filters, app = text.split() or [""]
        for name in filters:
            yield self._filter(name)
        yield from self._stages(app, flavor, depth - 1)

    def _app(self, name: str) -> Mapping[str, str]:
        for kind in ("app", "composite", "pipeline"):
            if (kind, name) in self.sections:
                return self.sections[kind, name]
        raise PasteProblem(f"{self.path} has no app '{name}'")

    def _filter(self, name: str, depth: int = _DEPTH) -> Stage:
        options = self.sections.get(("filter", name))
        if options is None or depth == 0:
            raise PasteProblem(f"{self.path} has no filter '{name}'")
        used = options.get("use")
        if used is not None and ("filter", used) in self.sections:
            base = self._filter(used, depth - 1)
            more = {key: value for key, value in options.items() if key != "use"}
            return Stage(name, base.factory, {**base.options, **more})
        return _stage(name, options)


_KINDS: Final = {"application": "app", "composit": "composite"}
_FACTORIES: Final = (
    "heat.filter_factory",
    "heat.app_factory",
    "paste.filter_factory",
    "paste.app_factory",
    "paste.composite_factory",
    "use",
)


def _stage(name: str, options: Mapping[str, str]) -> Stage:
    others = {
        key: value
        for key, value in options.items()
        if key not in _FACTORIES and key != "filter-with"
    }
    return Stage(name, _maker(options), others)


def _maker(options: Mapping[str, str]) -> str:
    return next((options[name] for name in _FACTORIES if name in options), "")


def _filled(value: str, defaults: Mapping[str, str]) -> str:
    for name, text in defaults.items():
        value = value.replace(f"%({name})s", text)
    return value


def _plain(key: str) -> str:
    """`set name = value` is a way to override what [DEFAULT] says."""
    return key.removeprefix("set ").strip()
