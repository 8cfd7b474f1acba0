"""digest."""

import hashlib
from typing import Any

import pytest


def test_digest(stage: Any) -> None:
    digest = stage.resolve({"digest": ["sha256", {"get_param": "p"}]})
    assert digest == hashlib.sha256(b"hello").hexdigest()


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ("x", TypeError, 'Argument to function "digest" must be a list of strings'),
        (["md5", 5], TypeError, 'Argument to function "digest" must be a list of strings'),
        (["md5"], ValueError, 'Function "digest" usage: ["<algorithm>", "<value>"]'),
        (["rot13", "x"], ValueError, "Algorithm must be one of {"),
        (["md5", "☃"], UnicodeEncodeError, "latin-1"),
    ],
)
def test_digest_refuses(stage: Any, args: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        stage.resolve({"digest": args})
    assert text in str(caught.value)
