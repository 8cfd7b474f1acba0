from __future__ import annotations

from datetime import UTC, datetime

import pytest

from heat_io.openstack.token_info import TokenInfo

BODY = {
    "user": {"id": "u", "name": "demo", "domain": {"id": "default", "name": "Default"}},
    "project": {"id": "p", "name": "demo", "domain": {"id": "default"}},
    "roles": [{"id": "r1", "name": "member"}, {"id": "r2", "name": "reader"}],
    "issued_at": "2026-11-29T12:00:00.000000Z",
    "expires_at": "2026-11-29T13:00:00.000000Z",
}


def test_the_fields_of_a_project_token() -> None:
    info = TokenInfo.from_answer("secret-token", {"token": BODY})
    assert (info.user_id, info.user_name, info.user_domain_id) == ("u", "demo", "default")
    assert (info.project_id, info.project_name, info.project_domain_id) == ("p", "demo", "default")
    assert (info.role_names, info.role_ids) == (("member", "reader"), ("r1", "r2"))
    assert (info.domain_id, info.system_scope, info.trust_id) == (None, None, None)
    assert info.is_admin_project is True
    assert info.lifetime_seconds == 3600
    assert info.expires_at == datetime(2026, 11, 29, 13, tzinfo=UTC)


def test_other_scopes() -> None:
    bare = {key: BODY[key] for key in ("user", "expires_at")}
    domain = TokenInfo.from_answer("t", {"token": {**bare, "domain": {"id": "d"}}})
    assert (domain.domain_id, domain.project_id, domain.role_names) == ("d", None, ())
    assert domain.lifetime_seconds == 0, "without a time of issue it is taken for over"
    system = TokenInfo.from_answer("t", {"token": {**bare, "system": {"all": True}}})
    assert system.system_scope == "all"
    trust = TokenInfo.from_answer("t", {"token": {**bare, "OS-TRUST:trust": {"id": "x"}}})
    assert trust.trust_id == "x"
    other = TokenInfo.from_answer("t", {"token": {**bare, "is_admin_project": False}})
    assert other.is_admin_project is False


def test_the_token_never_shows() -> None:
    info = TokenInfo.from_answer("secret-token", {"token": BODY})
    assert "secret-token" not in repr(info)
    assert info.context_info()["token"]["auth_token"] == "secret-token"
    assert info.context_info()["token"]["version"] == "v3"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        {},
        {"token": None},
        {"token": {}},
        {"token": {"user": {"id": "u"}}},
        {"token": {"user": {"id": "u"}, "expires_at": "soon"}},
        {"access": {"token": {"id": "v2"}}},
    ],
)
def test_what_is_no_token_is_refused(answer: object) -> None:
    with pytest.raises(ValueError, match=r"token|isoformat"):
        TokenInfo.from_answer("t", answer)
