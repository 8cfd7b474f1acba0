"""How much of a body is kept."""

from typing import Any

from heat_app.web.body_limit import SIZE_KEY, BodyLimit


async def test_only_the_limit_is_kept_and_all_is_counted() -> None:
    kept: list[bytes] = []
    scope: dict[str, Any] = {"type": "http"}
    events = [{"type": "http.request", "body": b"x" * 6, "more_body": n < 3} for n in range(4)]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            event = await receive()
            kept.append(event["body"])
            more = event["more_body"]

    async def receive() -> Any:
        return events.pop(0)

    async def send(event: Any) -> None:
        raise AssertionError("nothing is sent")

    await BodyLimit(app, 10)(scope, receive, send)  # type: ignore[arg-type] # plain dicts
    assert kept == [b"x" * 6, b"x" * 4, b"", b""]
    assert scope[SIZE_KEY] == 24


async def test_other_scopes_pass_untouched() -> None:
    seen = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive))

    await BodyLimit(app, 10)({"type": "lifespan"}, "receive", "send")  # type: ignore[arg-type, typeddict-item] # only passed on
    assert seen == [({"type": "lifespan"}, "receive")]
