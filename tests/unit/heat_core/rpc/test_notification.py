"""Notifications on the wire, against Heat's recorded one."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from heat_core.rpc import RequestContext, unseal
from heat_core.rpc.notification import Notification

NOTIFICATION = Notification(
    event_type="orchestration.stack.create.start",
    priority="INFO",
    payload={"PLACEHOLDER": True},
    publisher_id="orchestration.HOST",
    context=RequestContext(
        request_id="req-00000000-0000-0000-0000-000000000000",
        user_id="USER_ID",
        username="name",
        project_id="PROJECT_ID",
        project_name="PROJECT_NAME",
        user_domain_id="default",
        project_domain_id="default",
        roles=("member",),
        is_admin_project=False,
        show_deleted=True,
        read_only=True,
        resource_uuid="r",
        auth_url="http://secret",
        region_name="R",
        trust_id="secret",
        trustor_user_id="secret",
        auth_token="secret",
        password="secret",
        aws_creds="secret",
        auth_token_info={"token": "secret"},
    ),
    timestamp=datetime(2026, 11, 29, 14, 7, 31, 596955),
    message_id="ac5b16c1-4874-40af-bfd2-534769e0f66a",
    unique_id="d2d8b45caa394f899fdac7744b0fad31",
)


def test_the_body_is_heats(shared: Path) -> None:
    samples = json.loads((shared / "facts" / "rpc-samples.json").read_text())["samples"]
    sample = next(one for one in samples if one["label"] == "notification messagingv2")
    wanted = sample["body"]["oslo.message (decoded)"]
    enveloped = NOTIFICATION.body(enveloped=True)
    assert json.loads(enveloped)["oslo.version"] == "2.0"
    assert unseal(enveloped) == wanted
    assert json.loads(NOTIFICATION.body(enveloped=False)) == wanted


@pytest.mark.parametrize("enveloped", [True, False])
def test_secrets_stay_here(enveloped: bool) -> None:
    assert "secret" not in NOTIFICATION.body(enveloped=enveloped)


def test_what_goes_to_logs_says_nothing_of_the_caller() -> None:
    message = NOTIFICATION.message()
    assert set(message) == {
        "message_id",
        "publisher_id",
        "event_type",
        "priority",
        "payload",
        "timestamp",
    }
    assert message["timestamp"] == "2026-11-29 14:07:31.596955"
