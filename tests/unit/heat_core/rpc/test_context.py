from __future__ import annotations

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
