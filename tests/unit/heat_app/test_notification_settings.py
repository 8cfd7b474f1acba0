from __future__ import annotations

from pathlib import Path

import pytest

from heat_app.config import Settings
from heat_app.config.server_sections import NotificationSettings
from heat_app.notification_settings import NotificationPlan
from heat_io.announcing import LogDriver, MessagingDriver
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp import Address, UnsupportedTransport


def plan(**options: object) -> NotificationPlan:
    section = NotificationSettings(**options)  # type: ignore[arg-type] - the test names options
    settings = Settings(transport_url="rabbit://u:p@rpc/v", oslo_messaging_notifications=section)
    return NotificationPlan.from_settings(settings, process="heat-engine")


def test_without_a_driver_nobody_is_told() -> None:
    assert plan() == NotificationPlan((), ("notifications",), None, None)
    assert plan(driver=("log", "noop")).broker is None


def test_a_file_as_clouds_have_it(tmp_path: Path) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(
        "[DEFAULT]\n"
        "transport_url = rabbit://u:p@rpc/v\n"
        "[oslo_messaging_notifications]\n"
        "driver = messagingv2\n"
        "driver = log\n"
        "topics = notifications,alarms\n"
        "retry = 2\n"
        "transport_url = rabbit://n:q@other/telemetry\n"
    )
    found = NotificationPlan.from_settings(Settings.load([file]), process="heat-engine")
    assert (found.drivers, found.topics, found.retries) == (
        ("messagingv2", "log"),
        ("notifications", "alarms"),
        2,
    )
    assert found.broker is not None
    assert found.broker.addresses == (Address("other", 5672, "n", "q"),)
    assert found.broker.virtual_host == "telemetry"
    assert found.broker.connection_name == "heat-engine notifications"


def test_the_calls_broker_serves_where_no_other_is_named() -> None:
    broker = plan(driver=("messaging",)).broker
    assert broker is not None
    assert broker.addresses == (Address("rpc", 5672, "u", "p"),)


def test_a_driver_that_is_not_there_is_named() -> None:
    with pytest.raises(UnsupportedTransport) as raised:
        plan(driver=("routing",))
    assert str(raised.value) == (
        "[oslo_messaging_notifications] driver: there is no 'routing'; heat-trio has messagingv2,"
        " messaging, log and noop."
    )
    with pytest.raises(UnsupportedTransport, match="speaks to RabbitMQ only"):
        plan(driver=("messagingv2",), transport_url="kafka://k")


async def test_the_drivers_in_their_order() -> None:
    async with (
        open_asyncio_loop() as loop,
        plan(driver=("log", "noop", "messagingv2")).open(loop=loop) as drivers,
    ):
        assert [type(driver) for driver in drivers] == [LogDriver, MessagingDriver]
    async with open_asyncio_loop() as loop, plan().open(loop=loop) as drivers:
        assert drivers == ()
