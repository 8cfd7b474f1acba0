"""Notifications on a real broker, and how those of a running Heat are recorded."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import aio_pika
import httpx2
import trio

from heat_core.rpc import unseal
from heat_core.rpc.notification import Notification
from heat_io.announcing import MessagingDriver
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp import AmqpSettings, NotificationWriter
from tests.broker import NoBroker, VirtualHost, amqp_url, virtual_host

QUEUES = ("notifications.info", "notifications.error")
PATIENCE_SECONDS = 90.0

LISTENER = """
import json, sys, time
import oslo_messaging
from oslo_config import cfg
url, count = sys.argv[1], int(sys.argv[2])
oslo_messaging.set_transport_defaults("heat")
transport = oslo_messaging.get_notification_transport(cfg.CONF, url)
heard = []
class Endpoint:
    def _note(self, priority, ctxt, publisher_id, event_type, payload, metadata):
        heard.append([priority, publisher_id, event_type, payload, metadata["message_id"], ctxt])
    def info(self, *what):
        self._note("INFO", *what)
    def error(self, *what):
        self._note("ERROR", *what)
listener = oslo_messaging.get_notification_listener(
    transport, [oslo_messaging.Target(topic="notifications")], [Endpoint()], executor="threading"
)
listener.start()
until = time.monotonic() + 30
while len(heard) < count and time.monotonic() < until:
    time.sleep(0.05)
listener.stop()
listener.wait()
print(json.dumps(heard))
"""


class NotRun(Exception):
    """What is missing, in a sentence."""


# --- over a broker -----------------------------------------------------------------------------


def wire_groups(
    reference: Path, notifications: Sequence[Notification]
) -> Iterator[tuple[str, int, list[str]]]:
    """(group, number of cases, what failed)."""
    samples = json.loads((reference.parent / "facts" / "rpc-samples.json").read_text())
    samples = samples["samples"] if isinstance(samples, dict) and "samples" in samples else samples
    sample = next(one for one in samples if one["label"] == "notification messagingv2")
    python = reference / "python"
    probe = [python, "-c", "import oslo_messaging"]
    has_peer = python.exists() and not subprocess.run(probe, capture_output=True).returncode
    try:
        for enveloped in (True, False):
            version = "2.0" if enveloped else "1.0"
            with virtual_host(amqp_url()) as place:
                trio.run(_publish, place.settings(), notifications, enveloped)
                failed = _queue_failures(place)
                yield f"queues of format {version}", len(QUEUES) + 1, failed
                if has_peer:
                    heard = _heard_by_the_real_one(python, place, len(notifications))
                    failed = list(_misheard(notifications, heard))
                    yield f"read by oslo.messaging, {version}", len(notifications), failed
        with virtual_host(amqp_url()) as place:
            trio.run(_publish, place.settings(), notifications, True)
            failed = list(_unlike(sample, trio.run(_taken, place)))
            yield "as on Heat's broker", len(notifications), failed
    except NoBroker as error:
        raise NotRun(str(error)) from error
    if not has_peer:
        raise NotRun(f"{python} has no oslo.messaging")


async def _publish(
    settings: AmqpSettings, notifications: Sequence[Notification], enveloped: bool
) -> None:
    async with (
        open_asyncio_loop() as loop,
        NotificationWriter.open(settings, loop=loop) as writer,
    ):
        driver = MessagingDriver(writer, enveloped=enveloped)
        for notification in notifications:
            await driver.notify(notification)


def _queue_failures(place: VirtualHost) -> list[str]:
    queues = place.queues()
    wanted = (False, False, "[]")
    failed = [
        f"{name}: {queues.get(name)}, wanted {wanted}"
        for name in QUEUES
        if queues.get(name, ())[:3] != wanted
    ]
    if (found := place.exchanges().get("heat")) != ("topic", False, False):
        failed.append(f"exchange heat: {found}")
    return failed


def _heard_by_the_real_one(python: Path, place: VirtualHost, count: int) -> list[Any]:
    command = [python, "-c", LISTENER, place.transport_url, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    if done.returncode:
        raise AssertionError(f"the real listener failed: {done.stderr[-500:]}")
    heard: list[Any] = json.loads(done.stdout)
    return heard


def _misheard(notifications: Sequence[Notification], heard: Sequence[Any]) -> Iterator[str]:
    by_id = {message_id: what for *what, message_id, _ in heard}
    contexts = {message_id: context for *_, message_id, context in heard}
    for one in notifications:
        got = by_id.get(one.message_id)
        if got != [one.priority, one.publisher_id, one.event_type, dict(one.payload)]:
            yield f"{one.event_type}: {got}"
        elif contexts[one.message_id].get("user") != one.context.user_id:
            yield f"{one.event_type}: context {contexts[one.message_id]}"


async def _taken(place: VirtualHost) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Routing key, properties and payload of everything in the queues."""

    async def take() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
        found = []
        connection = await aio_pika.connect(place.transport_url.replace("rabbit://", "amqp://"))
        async with connection:
            channel = await connection.channel()
            for name in QUEUES:
                queue = await channel.get_queue(name)
                while (message := await queue.get(no_ack=True, fail=False)) is not None:
                    properties = {
                        "content_encoding": message.content_encoding,
                        "content_type": message.content_type,
                        "delivery_mode": int(message.delivery_mode or 0),
                        "headers": dict(message.headers),
                        "priority": message.priority,
                    }
                    found.append((name, properties, unseal(message.body)))
        return found

    return await trio.to_thread.run_sync(lambda: asyncio.run(take()))


def _unlike(
    sample: Mapping[str, Any], taken: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]
) -> Iterator[str]:
    """What differs from the recorded message in properties and keys."""
    recorded = sample["body"]["oslo.message (decoded)"]
    for queue, properties, message in taken:
        name = message["event_type"]
        if dict(properties) != sample["properties"]:
            yield f"{name}: properties {properties}"
        elif set(message) != set(recorded):
            yield f"{name}: keys {sorted(set(message) ^ set(recorded))}"
        elif queue != f"notifications.{message['priority'].lower()}":
            yield f"{name}: in {queue}"


# --- recording ---------------------------------------------------------------------------------


def record_from_heat(
    reference: Path, steps: Sequence[tuple[str, str, Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """The messages of a Heat that is up, as they came, of the operations."""
    with ExitStack() as at_the_end:
        url = _transport_url(reference)
        trio.run(_drained, url)
        api = _Api(reference)
        at_the_end.callback(api.close)
        for action, name, given in steps:
            api.act(action, name, given)
        time.sleep(3)
        messages = trio.run(_drained, url)
    return sorted(messages, key=lambda message: message["timestamp"])


async def _drained(url: str) -> list[dict[str, Any]]:
    async def take() -> list[dict[str, Any]]:
        found = []
        connection = await aio_pika.connect(url)
        async with connection:
            for name in QUEUES:
                channel = await connection.channel()
                try:
                    queue = await channel.get_queue(name)
                except aio_pika.exceptions.ChannelNotFoundEntity:
                    continue
                while (message := await queue.get(no_ack=True, fail=False)) is not None:
                    found.append(unseal(message.body))
        return found

    return await trio.to_thread.run_sync(lambda: asyncio.run(take()))


def _transport_url(reference: Path) -> str:
    path = Path(subprocess.check_output([reference / "env", "conf"], text=True).strip())
    lines = (line.partition("=") for line in path.read_text().splitlines())
    url = next(value.strip() for key, _, value in lines if key.strip() == "transport_url")
    return url.replace("rabbit://", "amqp://")


class _Api:
    """Heat's API as the user demo."""

    def __init__(self, reference: Path) -> None:
        text = subprocess.check_output([reference / "env", "--no-path", "demo"], text=True)
        lines = [line for line in text.splitlines() if line.startswith("export OS_")]
        exports = dict(shlex.split(line)[1].split("=", 1) for line in lines)
        domain = {"domain": {"id": "default"}}
        user = {"name": exports["OS_USERNAME"], "password": exports["OS_PASSWORD"], **domain}
        scope = {"project": {"name": exports["OS_PROJECT_NAME"], **domain}}
        identity = {"methods": ["password"], "password": {"user": user}}
        answer = httpx2.post(
            f"{exports['OS_AUTH_URL']}/auth/tokens",
            json={"auth": {"identity": identity, "scope": scope}},
        )
        answer.raise_for_status()
        service = next(
            one for one in answer.json()["token"]["catalog"] if one["type"] == "orchestration"
        )
        self._http = httpx2.Client(
            base_url=service["endpoints"][0]["url"],
            headers={"X-Auth-Token": answer.headers["X-Subject-Token"]},
            follow_redirects=True,
            timeout=90,
        )
        self._ids: dict[str, str] = {}

    def close(self) -> None:
        self._http.close()

    def act(self, action: str, name: str, given: Mapping[str, Any]) -> None:
        """Do it, and wait until it has ended unless it only begins."""
        body = dict(given)
        if "tags" in body:
            body["tags"] = ",".join(body["tags"])
        path = f"/stacks/{name}/{self._ids.get(name)}"
        if action == "create":
            answer = self._send("POST", "/stacks", {"stack_name": name, **body})
            self._ids[name] = answer.json()["stack"]["id"]
        elif action in ("update", "begin update"):
            self._send("PUT", path, body)
        elif action in ("check", "cancel"):
            word = "check" if action == "check" else "cancel_without_rollback"
            self._send("POST", f"{path}/actions", {word: None})
        else:
            self._send("DELETE", path)
        if action == "begin update":
            time.sleep(5)
        else:
            self._ended(name)

    def _ended(self, name: str) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            time.sleep(1)
            answer = self._http.get(f"/stacks/{name}/{self._ids[name]}")
            if answer.status_code == 404:
                return
            if not answer.json()["stack"]["stack_status"].endswith("IN_PROGRESS"):
                time.sleep(1)  # what a failure starts is stored a moment later
                answer = self._http.get(f"/stacks/{name}/{self._ids[name]}")
                status = answer.json().get("stack", {}).get("stack_status", "")
                if not status.endswith("IN_PROGRESS"):
                    return
        raise AssertionError(f"{name} does not come to an end")

    def _send(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        answer = self._http.request(method, path, json=body)
        answer.raise_for_status()
        return answer
