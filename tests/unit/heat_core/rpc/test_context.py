from __future__ import annotations

from dataclasses import replace

import pytest

from heat_core.rpc import RequestContext

_CONTEXT = RequestContext(
    request_id="req-1",
    user_id="u",
    project_id="p",
    project_name="pn",
    user_domain_id="ud",
    project_domain_id="pd",
    roles=("member",),
    auth_token="SECRET",
    password="SECRET",
    trust_id="SECRET",
    auth_token_info={"token": "SECRET"},
    aws_creds="SECRET",
)


def test_the_wire_form_comes_back_equal() -> None:
    assert RequestContext.from_wire(_CONTEXT.to_wire()) == _CONTEXT


def test_the_identity_text_has_a_dash_for_what_is_missing() -> None:
    assert _CONTEXT.to_wire()["user_identity"] == "u p - ud pd"


def test_no_secret_in_the_repr() -> None:
    assert "SECRET" not in repr(_CONTEXT)


def test_older_spellings_are_read() -> None:
    context = RequestContext.from_wire(
        {
            "tenant_id": "p",
            "tenant": "pn",
            "user_id": "u",
            "user_domain_id": "ud",
            "project_domain_id": "pd",
            "unknown": 1,
        }
    )
    assert context == RequestContext(
        project_id="p",
        project_name="pn",
        user_id="u",
        user_domain_id="ud",
        project_domain_id="pd",
    )
    assert RequestContext.from_wire({"project": "p"}).project_id == "p"
    assert RequestContext.from_wire({"project_id": "a", "project": "b"}).project_id == "a"


_STORED = RequestContext(
    project_id="trustor's",
    project_name="stored name",
    trust_id="trust",
    trustor_user_id="trustor",
    auth_url="http://stored",
    region_name="stored region",
)


def test_a_stacks_messages_act_through_its_trust_and_leave_the_token_behind() -> None:
    asked = replace(_CONTEXT, trust_id=None, username="name", is_admin=True)
    assert asked.acting_with(_STORED, "stack's") == RequestContext(
        request_id="req-1",
        user_id="u",
        username="name",
        project_id="stack's",
        project_name="stored name",
        user_domain_id="ud",
        project_domain_id="pd",
        roles=("member",),
        trust_id="trust",
        trustor_user_id="trustor",
        auth_url="http://stored",
        region_name="stored region",
    )


def test_a_stored_password_acts_for_its_user() -> None:
    stored = RequestContext(username="stored", password="pw", auth_url="http://k")
    acting = replace(_CONTEXT, username="asker").acting_with(stored, "p")
    assert (acting.username, acting.password, acting.auth_url) == ("stored", "pw", "http://k")
    assert (acting.trust_id, acting.auth_token, acting.auth_token_info) == (None, None, None)


def test_the_token_stays_where_nothing_usable_is_stored() -> None:
    asked = RequestContext(auth_token="t", auth_token_info={"token": {}}, is_admin=True)
    acting = asked.acting_with(RequestContext(project_id="p"), "p")
    assert acting == RequestContext(auth_token="t", auth_token_info={"token": {}}, project_id="p")


@pytest.mark.parametrize("field", ["trust_id", "password", "auth_token"])
def test_who_has_a_secret_and_roles_can_act(field: str) -> None:
    assert not RequestContext(username="u", auth_token_info={}, roles=("r",)).can_act
    assert not RequestContext(**{field: "x"}).can_act
    assert RequestContext(**{field: "x"}, roles=("r",)).can_act
