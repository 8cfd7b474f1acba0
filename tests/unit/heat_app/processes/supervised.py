"""A server without a service, as a process: `supervised.py COUNT FOLDER HOW`.

It says on standard output what happens: `serves PID`, `ends PID`, `reloads`, `stopping`. HOW is
`orderly`, `stubborn` (workers don't end), `broken` (a worker ends with 2 before it serves) or
`refused` (a reload can't be had).
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import trio

from heat_app.processes.notify import Notifier
from heat_app.processes.supervision import CONFIGURATION
from heat_app.processes.supervisor import Plan, supervise
from heat_app.processes.worker import Orders, Post


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def serve(post: Post, how: str) -> None:
    orders = Orders(trio.CancelScope())
    with orders.everything:
        async with trio.open_nursery() as nursery:
            await nursery.start(orders.obey)
            nursery.start_soon(post.show_life)
            orders.serves = True
            post.say_ready()
            say("serves", os.getpid())
            await orders.ending.wait()
            if how == "stubborn":
                await trio.sleep_forever()
            nursery.cancel_scope.cancel()
    say("ends", os.getpid())


def main(count: int, folder: Path, how: str) -> int:
    logging.basicConfig(level=logging.INFO, filename=folder / "log")

    def work(post: Post) -> int:
        if how == "broken":
            return CONFIGURATION
        trio.run(serve, post, how)
        return 0

    def reload() -> float | None:
        say("reloads")
        return None if how == "refused" else 5.0

    plan = Plan(count, 5.0, work, reload, stopping=lambda: say("stopping"))
    return supervise(plan, Notifier.taken_from(os.environ))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
