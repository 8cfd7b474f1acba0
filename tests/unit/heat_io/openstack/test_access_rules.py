from __future__ import annotations

import pytest

from heat_io.openstack.access_rules import allowed

CATALOG = [{"type": "orchestration"}]


def token(*rules: tuple[str, str, str], catalog: object = CATALOG) -> dict[str, object]:
    shown = [{"method": m, "path": p, "service": s} for m, p, s in rules]
    return {"application_credential": {"access_rules": shown}, "catalog": catalog}


def ask(body: dict[str, object], method: str = "GET", path: str = "/v1/p/stacks", **more) -> bool:
    arguments = {"service_type": "orchestration", "with_service_token": False, **more}
    return allowed(body, method=method, path=path, **arguments)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"application_credential": {}},
        {"application_credential": {"access_rules": None}},
        {"application_credential": {"restricted": True}},
    ],
)
def test_tokens_without_rules_may_do_all(body: dict[str, object]) -> None:
    assert ask(body, service_type=None)


def test_rules_that_cannot_be_checked_allow_nothing() -> None:
    body = token(("GET", "/**", "orchestration"))
    assert not ask(body, service_type=None)
    assert not ask(token(("GET", "/**", "orchestration"), catalog=[]))
    assert not ask(token(("GET", "/**", "orchestration"), catalog=None))
    assert not ask(token())


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/v1/p/stacks", "/v1/p/stacks", True),
        ("/v1/p/stacks", "/v1/p/stacks/x", False),
        ("/v1/p/stacks", "/V1/p/stacks", False),
        ("/v1/{project_id}/stacks", "/v1/p/stacks", True),
        ("/v1/{project_id}/stacks", "/v1/p/q/stacks", False),
        ("/v1/*/stacks/*", "/v1/p/stacks/x", True),
        ("/v1/*/stacks/*", "/v1/p/stacks/x/y", False),
        ("/v1/*/stacks/**", "/v1/p/stacks/x/y", True),
        ("/v1/**", "/v1/", True),
        ("/v1/p/stack.", "/v1/p/stacks", False),
        ("/v1/p/stacks", "/v1/p/stacks\n", False),
    ],
)
def test_paths(pattern: str, path: str, fits: bool) -> None:
    assert ask(token(("GET", pattern, "orchestration")), path=path) is fits


def test_method_and_service_must_fit_in_one_rule() -> None:
    body = token(("POST", "/**", "orchestration"), ("GET", "/**", "compute"))
    assert not ask(body, "GET")
    assert ask(body, "POST")


def test_a_request_of_another_service_for_the_user_is_not_matched() -> None:
    body = token(("POST", "/elsewhere", "compute"))
    assert ask(body, with_service_token=True)
    assert not ask(body, with_service_token=True, service_type="compute")
