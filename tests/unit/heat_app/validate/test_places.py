"""Finding things in a text."""

import pytest

from heat_app.validate.places import MarkedText, Place, place_in_message

TEXT = """\
resources:
  a:
    type: X::Y
    properties: &p
      list: [1, {deep: two}]
      a.b: dotted
      3: number
  b:
    type: X::Z
    properties:
      <<: *p
      own: two
"""


@pytest.fixture
def marked() -> MarkedText:
    return MarkedText(TEXT)


@pytest.mark.parametrize(
    ("path", "line", "column", "length", "found"),
    [
        ("resources.a", 2, 3, 1, "resources.a"),
        ("resources.a.properties.list[1].deep", 5, 18, 4, "resources.a.properties.list[1].deep"),
        ("resources.a.properties.list[0]", 5, 14, 1, "resources.a.properties.list[0]"),
        ("resources.a.properties.a.b", 6, 7, 3, "resources.a.properties.a.b"),
        ("resources.a.properties[3]", 7, 7, 1, "resources.a.properties.3"),
        ("resources.b.properties.list", 5, 7, 4, "resources.b.properties.list"),
        ("resources.a.Properties.list", 5, 7, 4, "resources.a.properties.list"),
        # As far as the path goes.
        ("resources.b.properties.none.at.all", 10, 5, 10, "resources.b.properties"),
        ("resources.a.properties.list[7]", 5, 7, 4, "resources.a.properties.list"),
    ],
)
def test_paths(
    marked: MarkedText, path: str, line: int, column: int, length: int, found: str
) -> None:
    assert marked.find(path) == Place(line, column, length, found)


def test_nothing_of_a_path(marked: MarkedText) -> None:
    assert marked.find("outputs.o") is None
    assert marked.find("") is None
    assert marked.has("resources.a")
    assert not marked.has("resources.c")


def test_values(marked: MarkedText) -> None:
    assert marked.value_at("resources.a.type") == "X::Y"
    assert marked.value_at("resources") == ["a", "b"]
    assert marked.value_at("resources.a.properties.list") is None
    assert marked.value_at("resources.c") is None
    assert marked.place_of_value("resources.a.type") == Place(3, 11, 4, "resources.a.type")
    assert marked.place_of_value("resources.c") is None


def test_entries_and_scalars(marked: MarkedText) -> None:
    assert [place.line for place in marked.entries("type")] == [3, 9]
    assert marked.entries("type", "X::Z") == [Place(9, 11, 4, "resources.b.type")]
    assert [place.line for place in marked.scalars("two")] == [5, 12]
    assert [place.line for place in marked.scalars("two", "resources.b")] == [12]


def test_lines(marked: MarkedText) -> None:
    assert marked.line(2) == "  a:"
    assert marked.line(0) == marked.line(99) == ""


def test_json_with_tabs() -> None:
    marked = MarkedText('{\n\t"a": {"b": 1}}')
    assert marked.find("a.b") == Place(2, 8, 3, "a.b")


@pytest.mark.parametrize("text", ["a: [", "", "\x00", "["])
def test_a_text_that_is_none(text: str) -> None:
    marked = MarkedText(text)
    assert marked.find("a") is None
    assert marked.scalars("a") == []


def test_a_text_that_contains_itself_ends() -> None:
    assert MarkedText("a: &x {b: *x, c: d}").scalars("d") == [Place(1, 18, 1, "a.c")]


def test_messages_of_parsers() -> None:
    assert place_in_message("at line 3, column 7\nat line 4, column 2:") == Place(4, 2)
    assert place_in_message("Expecting value: line 1 column 5 (char 4)") == Place(1, 5)
    assert place_in_message("no place") is None


def test_lines_are_counted_as_yaml_counts_them() -> None:
    marked = MarkedText("# a page\r\nb: c\n# d\u2028e: f\n")
    place = marked.find("e")
    assert place is not None
    assert (place.line, marked.line(place.line)) == (4, "e: f")
    assert (marked.line(2), marked.line(9)) == ("b: c", "")


def test_of_two_keys_the_last_counts() -> None:
    marked = MarkedText("a: {b: 1}\na: {c: 2}\nd: &d {e: 3}\nf: {e: 4, <<: *d}\n")
    assert [(key, place.line) for key, place in marked.written_twice()] == [("a", 2)]
    assert not marked.has("a.b")
    place = marked.find("f.e")
    assert place is not None
    assert place.line == 4


def test_merges_that_go_in_a_circle_end() -> None:
    assert MarkedText("a: &x {<<: {<<: *x}, b: 1}").find("a.b") == Place(1, 22, 1, "a.b")
