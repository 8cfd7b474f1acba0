"""A field of a section says all that oslo.config must know of its option."""

from dataclasses import dataclass

from oslo_config import cfg

from heat_app.config.declaration import Declaration, declarations, option


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    count: int | None = option(3, minimum=1, maximum=9)
    names: tuple[str, ...] = ("a", "b")
    log_file: str | None = option(dashed=True, also=("logfile",))
    word: str = option("x", secret=True, choices=("x", "y"), any_case=True)
    ratio: float = 0.5


def test_fields_are_declarations() -> None:
    assert list(declarations(Section(ratio=0.7))) == [
        Declaration(name="count", kind="integer", default=3, minimum=1, maximum=9),
        Declaration(name="names", kind="list", default=("a", "b")),
        Declaration(name="log-file", kind="text", also=("logfile",)),
        Declaration(
            name="word", kind="text", default="x", secret=True, choices=("x", "y"), any_case=True
        ),
        Declaration(name="ratio", kind="number", default=0.7),
    ]


def test_a_secret_stays_out_of_the_repr() -> None:
    assert "word" not in repr(Section(word="y"))


def test_declarations_are_options() -> None:
    by_name = {one.attribute: one.as_opt("group") for one in declarations(Section())}
    assert isinstance(by_name["count"], cfg.IntOpt)
    assert (by_name["count"].type.min, by_name["count"].type.max) == (1, 9)
    assert by_name["names"].default == ["a", "b"]
    assert by_name["log_file"].deprecated_opts == [cfg.DeprecatedOpt("logfile", group="group")]
    assert by_name["word"].secret
    assert by_name["word"].type("Y") == "Y"
    assert isinstance(by_name["ratio"], cfg.FloatOpt)
