from __future__ import annotations

import pytest

from heat_core.errors import AuthorizationFailure
from heat_core.rpc import RequestContext
from heat_io.openstack.credentials import (
    DomainScope,
    Password,
    PasswordLogin,
    ProjectScope,
    ServiceUser,
    StoredCredentials,
    TokenRequest,
    Trust,
    TrustScope,
    UserToken,
    credentials_of,
    with_trust,
)

LOGIN = PasswordLogin(
    auth_url="http://k/v3", username="heat", password="hush", user_domain_id="default"
)


def test_the_body_of_a_password_login() -> None:
    assert TokenRequest(LOGIN).body() == {
        "auth": {
            "identity": {
                "methods": ["password"],
                "password": {
                    "user": {"name": "heat", "domain": {"id": "default"}, "password": "hush"}
                },
            }
        }
    }


@pytest.mark.parametrize(
    ("login", "user"),
    [
        (PasswordLogin(auth_url="u", password="p", user_id="1", username="n"), {"id": "1"}),
        (
            PasswordLogin(auth_url="u", password="p", username="n", user_domain_name="D"),
            {"name": "n", "domain": {"name": "D"}},
        ),
        (PasswordLogin(auth_url="u", password="p", username="n"), {"name": "n"}),
    ],
)
def test_how_a_user_is_named(login: PasswordLogin, user: dict[str, object]) -> None:
    body = TokenRequest(login).body()
    assert body["auth"]["identity"]["password"]["user"] == {**user, "password": "p"}


@pytest.mark.parametrize(
    ("scope", "body"),
    [
        (ProjectScope(project_id="p", project_name="x"), {"project": {"id": "p"}}),
        (
            ProjectScope(project_name="x", project_domain_id="d"),
            {"project": {"name": "x", "domain": {"id": "d"}}},
        ),
        (
            ProjectScope(project_name="x", project_domain_name="D"),
            {"project": {"name": "x", "domain": {"name": "D"}}},
        ),
        (DomainScope(domain_id="d", domain_name="D"), {"domain": {"id": "d"}}),
        (DomainScope(domain_name="D"), {"domain": {"name": "D"}}),
        (TrustScope("t"), {"OS-TRUST:trust": {"id": "t"}}),
    ],
)
def test_scopes(scope: ProjectScope | DomainScope | TrustScope, body: object) -> None:
    assert TokenRequest(LOGIN, scope).body()["auth"]["scope"] == body


def test_credentials_are_values_without_a_secret_in_sight() -> None:
    values = [
        UserToken("hush", {"token": {"x": "hush"}}, "One"),
        Trust("hush", "trustor", "One"),
        Password(TokenRequest(LOGIN, TrustScope("hush")), "One"),
        ServiceUser("One"),
        StoredCredentials(trust_id="hush", password="hush"),
    ]
    for value in values:
        assert "hush" not in repr(value)
        assert hash(value) == hash(value)
    assert len(set(values)) == len(values)
    assert UserToken("a", {"token": 1}) == UserToken("a", {"token": 2})
    assert UserToken("a", None, "One") != UserToken("a", None, "Two")
    assert Trust("a") != Trust("b")


INFO = {"token": {"user": {}}}


@pytest.mark.parametrize(
    ("context", "credentials"),
    [
        (
            RequestContext(trust_id="t", trustor_user_id="u", auth_token="a", auth_token_info=INFO),
            Trust("t", "u"),
        ),
        (
            RequestContext(auth_token="a", auth_token_info=INFO, region_name="One", password="p"),
            UserToken("a", INFO, "One"),
        ),
        (
            RequestContext(
                username="n", password="p", auth_url="k", project_id="x", auth_token="a"
            ),
            Password(
                TokenRequest(
                    PasswordLogin(
                        auth_url="k", username="n", password="p", user_domain_id="default"
                    ),
                    ProjectScope(project_id="x"),
                )
            ),
        ),
        (RequestContext(auth_token="a"), UserToken("a")),
    ],
)
def test_the_order_in_which_a_context_is_read(context: RequestContext, credentials: object) -> None:
    assert credentials_of(context) == credentials


def test_a_context_without_anything_gives_no_credentials() -> None:
    with pytest.raises(AuthorizationFailure) as failure:
        credentials_of(RequestContext(user_id="u", password="p"))
    assert str(failure.value) == "Authorization failed."


def test_a_trust_is_stored_without_the_password() -> None:
    context = RequestContext(
        username="demo",
        password="hush",
        user_id="u",
        project_id="p",
        project_name="demo",
        auth_url="http://k/v3",
        region_name="One",
        auth_token="a",
        is_admin=True,
    )
    stored = StoredCredentials.from_context(with_trust(context, "t", "u"))
    assert stored == StoredCredentials(
        trust_id="t",
        trustor_user_id="u",
        tenant="demo",
        tenant_id="p",
        auth_url="http://k/v3",
        region_name="One",
    )
    again = stored.context(request_id="req-1")
    assert again == RequestContext(
        request_id="req-1",
        trust_id="t",
        trustor_user_id="u",
        project_id="p",
        project_name="demo",
        auth_url="http://k/v3",
        region_name="One",
    )
    assert stored.credentials() == Trust("t", "u", "One")


def test_a_password_is_stored_when_there_is_no_trust() -> None:
    context = RequestContext(
        username="demo", password="hush", project_id="p", auth_url="http://k/v3"
    )
    stored = StoredCredentials.from_context(context)
    assert (stored.username, stored.password, stored.trust_id) == ("demo", "hush", None)
    assert isinstance(stored.credentials(), Password)


def test_an_empty_row_gives_no_credentials() -> None:
    with pytest.raises(AuthorizationFailure):
        StoredCredentials().credentials()
