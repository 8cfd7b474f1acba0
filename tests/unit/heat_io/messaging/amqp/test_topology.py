from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from heat_io.messaging import Target
from heat_io.messaging.amqp.settings import AmqpSettings
from heat_io.messaging.amqp.topology import ExchangeSpec, QueueSpec, Topology

_HEX = "0" * 32


@pytest.fixture(scope="module")
def rpc(shared: Path) -> Any:
    return json.loads((shared / "facts" / "rpc.json").read_text())


def _queues(topology: Topology) -> list[QueueSpec]:
    queues = [topology.reply_queue(_HEX)]
    for topic in ("engine", "engine_worker", "heat-engine-listener"):
        queues += [
            topology.topic_queue(topic),
            topology.server_queue(topic, "ENGINE-1"),
            topology.fanout_queue(topic, _HEX),
        ]
    return queues


def _captured_name(name: str) -> str:
    return name.replace("<32hex>", _HEX)


def test_queues_are_declared_as_heat_declares_them(rpc: Any) -> None:
    captured = {
        _captured_name(row["name"]): (
            row["durable"],
            row["auto_delete"],
            {name: value for name, _, value in row["arguments"]},
        )
        for row in rpc["inventory_captured"]["list_queues"]
        if not re.match(r"amq\.|notifications", row["name"])
    }
    declared = {
        queue.name: (queue.durable, queue.auto_delete, dict(queue.arguments))
        for queue in _queues(Topology(AmqpSettings()))
    }
    assert declared == captured


def test_exchanges_are_declared_as_heat_declares_them(rpc: Any) -> None:
    captured = {
        row["name"]: (row["type"], row["durable"], row["auto_delete"])
        for row in rpc["inventory_captured"]["list_exchanges"]
        if row["name"] and not row["name"].startswith("amq.")
    }
    declared = {
        queue.exchange.name: (
            queue.exchange.kind,
            queue.exchange.durable,
            queue.exchange.auto_delete,
        )
        for queue in _queues(Topology(AmqpSettings()))
        if queue.exchange is not None
    }
    assert declared == captured


def test_queues_are_bound_as_heat_binds_them(rpc: Any) -> None:
    captured = {
        (row["source_name"], _captured_name(row["destination_name"]), row["routing_key"])
        for row in rpc["inventory_captured"]["list_bindings"]
        if row["source_name"] and not re.match(r"amq\.|notifications", row["destination_name"])
    }
    declared = {
        (queue.exchange.name, queue.name, queue.routing_key)
        for queue in _queues(Topology(AmqpSettings()))
        if queue.exchange is not None
    }
    assert declared == captured


def test_routes(rpc: Any) -> None:
    topology = Topology(AmqpSettings())
    assert rpc["rabbit"]["publish"]["server_targeted"].endswith("routing key <topic>.<server>")
    assert topology.route(Target("engine")) == (topology.topic_exchange(), "engine")
    assert topology.route(Target("engine", "host")) == (topology.topic_exchange(), "engine.host")
    fanout = topology.route(Target("engine", fanout=True))
    assert fanout == (ExchangeSpec("engine_fanout", "fanout", False, True), "")


def test_durable_queues() -> None:
    topology = Topology(AmqpSettings(durable=True))
    assert topology.topic_exchange().durable
    assert topology.topic_queue("engine").durable
    assert topology.topic_queue("engine").arguments == {}
    assert not topology.fanout_queue("engine", _HEX).durable
    assert not topology.reply_queue(_HEX).durable


def test_quorum_queues() -> None:
    topology = Topology(
        AmqpSettings(quorum=True, quorum_delivery_limit=3, quorum_max_memory_length=10)
    )
    queue = topology.server_queue("engine", "host")
    assert queue.durable
    assert queue.arguments == {
        "x-queue-type": "quorum",
        "x-delivery-limit": 3,
        "x-max-in-memory-length": 10,
    }
    assert topology.topic_exchange().durable
    assert topology.reply_queue(_HEX).arguments == {"x-expires": 1800000}


def test_transient_quorum_queues() -> None:
    topology = Topology(AmqpSettings(transient_quorum=True, transient_ttl_seconds=5))
    for queue in (topology.reply_queue(_HEX), topology.fanout_queue("engine", _HEX)):
        assert queue.durable
        assert queue.arguments == {"x-queue-type": "quorum", "x-expires": 5000}
    assert topology.fanout_exchange("engine").durable
    assert not topology.topic_queue("engine").durable


def test_mirrored_queues_that_live_for_ever() -> None:
    topology = Topology(AmqpSettings(mirrored=True, transient_ttl_seconds=0, auto_delete=True))
    assert topology.reply_queue(_HEX).arguments == {"x-ha-policy": "all"}
    assert topology.topic_queue("engine").auto_delete
    assert topology.topic_exchange().auto_delete


def test_the_transient_form_of_a_queue() -> None:
    topology = Topology(AmqpSettings(durable=True))
    queue = topology.topic_queue("engine").transient()
    assert not queue.durable
    assert queue.exchange is not None
    assert not queue.exchange.durable
    assert topology.reply_queue(_HEX).transient().exchange is None
