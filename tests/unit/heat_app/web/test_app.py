"""The stages that both APIs share, around an API that only tells what it was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from quart.wrappers import Request

from heat_app.config import HealthcheckSettings, ProxySettings, Settings
from heat_app.web.answers import Answer, json_answer
from heat_app.web.app import StagedApi, new_request_id, with_body
from heat_app.web.pipeline import Pipeline
from heat_app.web.request import ApiRequest
from tests.asgi import Driven


class Telling(StagedApi):
    """Answers with what it was asked; /v1/fail fails."""

    async def operate(self, request: Request, api_request: ApiRequest) -> Answer:
        if api_request.path == "/fail":
            raise ValueError("no")
        api_request = await with_body(request, api_request)
        return json_answer([api_request.link("x"), api_request.path, api_request.body_size])

    def fault(self, error: Exception, api_request: ApiRequest) -> Answer:
        return Answer(418, str(error).encode())


def driven(**others: Any) -> Driven:
    settings = others.pop("settings", None) or Settings()
    return Driven(Telling(settings, **others), {"Host": "h:1"})


async def test_the_version_is_taken_off_and_the_body_read() -> None:
    got = await driven().request("POST", "/v1/stacks", body={"a": 1})
    assert (got.status, got.json) == (200, ["http://h:1/v1/x", "/stacks", 8])
    assert (await driven().request("GET", "/v2")).status == 300


async def test_errors_are_the_apis_own() -> None:
    got = await driven().request("GET", "/v1/fail")
    assert (got.status, got.body) == (418, b"no")
    assert got.headers["x-openstack-request-id"].startswith("req-")


async def test_proxies_are_believed_where_configuration_and_pipeline_say_so() -> None:
    believing = Settings(oslo_middleware=ProxySettings(enable_proxy_headers_parsing=True))
    headers = {"X-Forwarded-Host": "front"}
    for settings, pipeline, link in (
        (believing, Pipeline(), "http://front/v1/x"),
        (believing, Pipeline(proxy_headers=False), "http://h:1/v1/x"),
        (Settings(), Pipeline(), "http://h:1/v1/x"),
    ):
        api = driven(settings=settings, pipeline=pipeline)
        got = await api.request("GET", "/v1/", headers=headers)
        assert got.json[0] == link


def test_request_ids_are_new() -> None:
    assert new_request_id() != new_request_id()


async def test_the_health_check_looks_at_what_it_is_told_to(tmp_path: Path) -> None:
    file = tmp_path / "down"
    section = HealthcheckSettings(
        backends=("disable_by_files_ports",), disable_by_file_paths=(f"8004:{file}",)
    )
    api = driven(settings=Settings(healthcheck=section))
    assert (await api.request("GET", "/healthcheck")).status == 200
    file.touch()
    got = await api.request("GET", "/healthcheck")
    assert (got.status, got.body) == (503, b"DISABLED BY FILE")


async def test_who_may_not_see_the_health_check_finds_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    section = HealthcheckSettings(
        backends=("disable_by_file",), allowed_source_ranges=("10.0.0.0/8",)
    )
    got = await driven(settings=Settings(healthcheck=section)).request("GET", "/healthcheck")
    assert got.status == 404
    assert "disable_by_file_path is not set" in caplog.text
