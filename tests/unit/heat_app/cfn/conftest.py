"""The CloudFormation API, alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from heat_app.cfn.app import CfnApi
from heat_app.config import Settings
from tests.asgi import Driven

REQUEST_ID = "req-00000000-0000-4000-8000-000000000000"
HOST = {"Host": "cfn.example:8000"}


@pytest.fixture
def make_api() -> Callable[..., Driven]:
    """Builds an application: settings=, handlers=, pipeline=."""

    def make(settings: Settings | None = None, **others: Any) -> Driven:
        app = CfnApi(settings or Settings(), new_request_id=lambda: REQUEST_ID, **others)
        return Driven(app, HOST)

    return make
