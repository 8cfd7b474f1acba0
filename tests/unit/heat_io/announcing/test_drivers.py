from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import datetime

import pytest
import trio

from heat_core.rpc import RequestContext
from heat_core.rpc.notification import Notification
from heat_io.announcing import LogDriver, MessagingDriver

NOTIFICATION = Notification(
    event_type="orchestration.stack.create.error",
    priority="ERROR",
    payload={"stack_name": "st"},
    publisher_id="orchestration.h",
    context=RequestContext(user_id="u", auth_token="t"),
    timestamp=datetime(2026, 1, 1),
    message_id="m",
    unique_id="x",
)


class Writer:
    def __init__(self) -> None:
        self.written: list[tuple[str, bytes, int | None]] = []

    async def write(self, queue_name: str, body: bytes, *, retries: int | None) -> bool:
        await trio.lowlevel.checkpoint()
        self.written.append((queue_name, body, retries))
        return True


@pytest.mark.parametrize("enveloped", [True, False])
async def test_a_message_goes_to_each_topic_under_its_priority(enveloped: bool) -> None:
    writer = Writer()
    driver = MessagingDriver(writer, topics=("one", "two"), enveloped=enveloped, retries=3)
    await driver.notify(NOTIFICATION)
    body = NOTIFICATION.body(enveloped=enveloped).encode()
    assert writer.written == [("one.error", body, 3), ("two.error", body, 3)]


async def test_the_log_gets_the_message_without_the_context(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    await LogDriver().notify(NOTIFICATION)
    await LogDriver().notify(replace(NOTIFICATION, priority="SAMPLE"))
    (record,) = caplog.records
    assert record.name == "oslo.messaging.notification.orchestration.stack.create.error"
    assert record.levelno == logging.ERROR
    assert json.loads(record.message) == NOTIFICATION.message()
