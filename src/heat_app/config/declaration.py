"""What an option is: name, type, default and bounds, as oslo.config and the documentation need it.

An option that heat-trio reads is a field of a section's dataclass (heat_app.config.settings); one
that only Heat reads is a line of heat_app.config.unread. Both end as a Declaration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from oslo_config import cfg

__all__ = ["Declaration", "Kind", "declarations", "is_section", "option"]

type Kind = Literal[
    "text",
    "plain",
    "switch",
    "integer",
    "number",
    "list",
    "integers",
    "uris",
    "lines",
    "uri",
    "map",
]
"""`plain` is text that oslo.config takes as it stands; `lines` is an option that may be repeated"""

_OF_HINTS: Mapping[Any, Kind] = {
    bool: "switch",
    int: "integer",
    float: "number",
    str: "text",
    tuple: "list",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """An option: `name` as Heat spells it, `also` its older names, `unread` why nobody reads it."""

    name: str
    kind: Kind
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str | None, ...] = ()
    any_case: bool = False
    pattern: str | None = None
    also: tuple[str, ...] = ()
    secret: bool = False
    mutable: bool = False
    required: bool = False
    leaving: bool = False
    """to be removed from a later Heat, which oslo.config warns of"""
    example: str | None = None
    """what stands in documentation for a default that this machine decides"""
    unread: str | None = None

    @property
    def attribute(self) -> str:
        """The name in a file, and the field's."""
        return self.name.replace("-", "_")

    def as_opt(self, group: str | None) -> cfg.Opt:
        """The option as oslo.config takes it."""
        from oslo_config import cfg

        mapping = isinstance(self.default, Mapping)
        arguments: dict[str, Any] = {
            "default": dict(self.default) if mapping else self._default(),
            "secret": self.secret,
            "mutable": self.mutable,
            "required": self.required,
            "deprecated_for_removal": self.leaving,
            "sample_default": self.example,
            "deprecated_opts": [
                cfg.DeprecatedOpt(name, group=group or "DEFAULT") for name in self.also
            ],
        }
        return _MAKERS[self.kind](self, arguments)

    def bounds(self) -> dict[str, Any]:
        """min and max, those that there are."""
        both = {"min": self.minimum, "max": self.maximum}
        return {name: value for name, value in both.items() if value is not None}

    def _default(self) -> Any:
        return list(self.default) if isinstance(self.default, tuple) else self.default


def _text(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.StrOpt(
        declared.name,
        choices=list(declared.choices) or None,
        ignore_case=declared.any_case,
        regex=declared.pattern,
        **arguments,
    )


def _plain_text(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    as_it_stands: Any = str
    return cfg.Opt(declared.name, type=as_it_stands, **arguments)


def _switch(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.BoolOpt(declared.name, **arguments)


def _integer(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.IntOpt(declared.name, **declared.bounds(), **arguments)


def _number(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.FloatOpt(declared.name, **declared.bounds(), **arguments)


def _list(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg, types

    items = {"integers": types.Integer(), "uris": types.URI(schemes=_SCHEMES)}
    return cfg.ListOpt(declared.name, item_type=items.get(declared.kind), **arguments)


def _lines(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.MultiStrOpt(declared.name, **arguments)


def _uri(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.URIOpt(declared.name, schemes=_SCHEMES, **arguments)


def _map(declared: Declaration, arguments: dict[str, Any]) -> cfg.Opt:
    from oslo_config import cfg

    return cfg.DictOpt(declared.name, **arguments)


_SCHEMES = ["http", "https"]
_MAKERS = {
    "text": _text,
    "plain": _plain_text,
    "switch": _switch,
    "integer": _integer,
    "number": _number,
    "list": _list,
    "integers": _list,
    "uris": _list,
    "lines": _lines,
    "uri": _uri,
    "map": _map,
}


def option(default: Any = None, *, dashed: bool = False, **about: Any) -> Any:
    """A dataclass field with what a Declaration says beside name, type and default.

    `dashed`: Heat writes the name with dashes. A secret stays out of the repr.
    """
    return field(default=default, repr=not about.get("secret"), metadata=about | {"dashed": dashed})


def is_section(value: object) -> bool:
    """Whether a field's default is a section of its own."""
    return hasattr(value, "__dataclass_fields__")


def declarations(section: Any) -> Iterator[Declaration]:
    """The options of a section, given as the instance that holds its defaults."""
    hints = get_type_hints(type(section))
    for item in fields(section):
        default = getattr(section, item.name)
        if item.metadata.get("internal") or is_section(default):
            continue
        about = dict(item.metadata)
        dashed = about.pop("dashed", False)
        about.setdefault("kind", _OF_HINTS[_bare(hints[item.name])])
        if item.default_factory is not MISSING:
            default = item.default_factory()
        yield Declaration(
            name=item.name.replace("_", "-") if dashed else item.name, default=default, **about
        )


def _bare(hint: Any) -> Any:
    """The type that decides the kind of option: int for `int | None`, tuple for tuples."""
    if isinstance(hint, UnionType):
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    return get_origin(hint) or hint
