"""OS::Heat::RandomString: a random text of given length and characters."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from heat_core.errors import StackValidationFailed
from heat_core.procedure import Datum, ProcedureIO
from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
    SupportStatus,
)
from heat_core.properties import rules as rule
from heat_core.resources.contract import UNKNOWN, Change, ResourceType
from heat_core.resources.heat.dice import Dice

CHARACTER_CLASSES: Mapping[str, str] = {
    "lettersdigits": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "lowercase": string.ascii_lowercase,
    "uppercase": string.ascii_uppercase,
    "digits": string.digits,
    "hexdigits": string.digits + "ABCDEF",
    "octdigits": string.octdigits,
}

_LONGEST = 512


def _minimum(of_what: str) -> Prop:
    return Prop.integer(
        f"How many characters of this {of_what} there are at least.",
        default=1,
        constraints=[Range(1, _LONGEST)],
    )


class RandomString(ResourceType):
    """A text of random characters, made once and kept."""

    name = "OS::Heat::RandomString"
    support = Support(version="2014.1")
    create_repeatable = True

    properties: ClassVar[Mapping[str, Prop]] = {
        "length": Prop.integer(
            "How many characters the text has.", default=32, constraints=[Range(1, _LONGEST)]
        ),
        "sequence": Prop.string(
            "The class that all characters are from.",
            constraints=[AllowedValues(list(CHARACTER_CLASSES))],
            support=Support(
                SupportStatus.HIDDEN,
                "5.0.0",
                previous=Support(
                    SupportStatus.DEPRECATED, "2014.2", "Use property character_classes."
                ),
            ),
        ),
        "character_classes": Prop.list(
            "The classes that characters are from, each with its least number.",
            schema=Prop.map(
                schema={
                    "class": Prop.string(
                        "A class of characters.",
                        constraints=[AllowedValues(list(CHARACTER_CLASSES))],
                        default="lettersdigits",
                    ),
                    "min": _minimum("class"),
                }
            ),
            default=[{"class": "lettersdigits", "min": 1}],
        ),
        "character_sequences": Prop.list(
            "Sets of characters of the user's own, each with its least number.",
            schema=Prop.map(
                schema={
                    "sequence": Prop.string("The characters of the set.", required=True),
                    "min": _minimum("set"),
                }
            ),
        ),
        "salt": Prop.string("Any text; a change of it makes a new random text."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "value": Attr(
            description="The random text; referring to the resource gives it too.",
            cache=CacheMode.NONE,
            kind=Kind.STRING,
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        sequence = props.get("sequence")
        if not sequence:
            return ()
        return (
            rule.add(["character_classes"], value=[{"class": sequence, "min": 1}]),
            rule.delete(["sequence"]),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        wanted = [*(props["character_sequences"] or ()), *(props["character_classes"] or ())]
        if sum(item["min"] for item in wanted) > props["length"]:
            raise StackValidationFailed(
                message="Length property cannot be smaller than combined character class and "
                "character sequence minimums"
            )

    async def start_create(self, io: ProcedureIO, props: Mapping[str, Any]) -> None:
        value = await random_text(Dice(io), props["length"], wanted_sets(props))
        await io.created(self.view.physical_name, [Datum("value", value, redact=True)])

    async def attribute(self, io: ProcedureIO, name: str) -> Any:
        return self.view.data.get("value")

    def attribute_after(
        self, name: str, properties: Mapping[str, Any], change: Change | None
    ) -> Any:
        """A text that is made stays as it is."""
        return UNKNOWN if change is None else self.view.data.get("value")

    def reference_id(self) -> str | None:
        if self.view.physical_id is None:
            return self.view.name
        return self.view.data.get("value")


class CharacterSet(NamedTuple):
    """Distinct characters, and how many of them the text has at least."""

    characters: str
    minimum: int


def wanted_sets(props: Mapping[str, Any]) -> list[CharacterSet]:
    """The user's own sets, then the classes, as the properties ask for them."""
    return [
        *(
            CharacterSet(_distinct(item["sequence"]), item["min"])
            for item in props["character_sequences"] or ()
        ),
        *(
            CharacterSet(CHARACTER_CLASSES[item["class"]], item["min"])
            for item in props["character_classes"] or ()
        ),
    ]


def _distinct(characters: str) -> str:
    return "".join(dict.fromkeys(characters))


async def random_text(dice: Dice, length: int, sets: Sequence[CharacterSet]) -> str:
    """A text of `length` characters, each drawn evenly, every set's minimum kept.

    IndexError when there is no character to choose from.
    """
    drawn: list[str] = []
    for wanted in sets:
        for _ in range(wanted.minimum):
            drawn.append(await dice.choose(wanted.characters))
    everything = _distinct("".join(wanted.characters for wanted in sets))
    for _ in range(length - len(drawn)):
        drawn.append(await dice.choose(everything))
    return "".join(await dice.shuffled(drawn))[:length]
