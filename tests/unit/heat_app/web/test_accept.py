"""Which of two forms a client gets."""

import pytest

from heat_app.web.accept import best_offer

OFFERS = ("text/html", "application/json")


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", None),
        ("*/*", "text/html"),
        ("text/html", "text/html"),
        ("application/json", "application/json"),
        ("Application/JSON", "application/json"),
        ("text/plain", None),
        ("application/*", "application/json"),
        ("application/json, text/html", "text/html"),
        ("text/html;q=0.1, application/json", "application/json"),
        ("*/*;q=0", None),
        ("text/html;q=0, */*", "application/json"),
        ("*/*;q=0.2, text/html;q=0.1", "application/json"),
        ("text/html;level=1", None),
        ('text/html;v="a,b", application/json', "application/json"),
        ("application/json;q=0.5;ext=1", "application/json"),
        (",, text/html ,", "text/html"),
        # What breaks the grammar counts as taking all.
        ("nonsense", "text/html"),
        ("application/json;q=2", "text/html"),
        ("application/json application/json", "text/html"),
    ],
)
def test_best_offer(accept: str, form: str | None) -> None:
    assert best_offer(accept, OFFERS) == form
