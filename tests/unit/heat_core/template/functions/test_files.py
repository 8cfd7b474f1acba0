"""get_file."""

from typing import Any

import pytest


def test_get_file(make_stage: Any) -> None:
    stage = make_stage(files={"hello": "text {get_param: p}", "a.txt": ""})
    assert stage.resolve({"get_file": {"get_param": "p"}}) == "text {get_param: p}"
    assert stage.resolve({"get_file": "a.txt"}) == ""
    with pytest.raises(ValueError, match='No content found in the "files" section for get_file'):
        stage.resolve({"get_file": "zzz"})
    with pytest.raises(TypeError, match='Argument to "get_file" must be a string'):
        stage.resolve({"get_file": 5})
