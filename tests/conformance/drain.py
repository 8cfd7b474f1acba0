"""SIGTERM of API and engine processes under load: `python -m tests.conformance.drain`.

    python -m tests.conformance.drain [--rounds 10] [--clients 6] [--seed N]

Two heat-api and two heat-engine processes with two workers each, on RabbitMQ (HEAT_TRIO_TEST_AMQP),
MariaDB (HEAT_TRIO_TEST_MYSQL) and a Keystone of their own. While clients create, update and delete
stacks, in each round one of the APIs and one of the engines get SIGTERM at random moments and are
started again. Engines have but three seconds for an orderly end, so that some of their work has to
be handed over. In the end every answer must agree with the database, and Keystone must not have
been asked for anything twice. Exit code 0: so it is, or it was not run; 1: it is not, or CI=true
and it was not run.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
from collections import Counter

from tests.broker import NoBroker
from tests.conformance.drain_load import Answer, Load
from tests.conformance.drain_site import PATIENCE_SECONDS, NotRun, Program, Site, site

PROMISES = {"POST": 201, "PUT": 202, "DELETE": 204}


def stopped_and_started(program: Program, delay: float) -> None:
    """SIGTERM after a while, and a new start at once."""
    time.sleep(delay)
    program.stop()
    program.start()


def one_round(running: Site, number: int, moments: random.Random) -> None:
    """An API and an engine end in the middle of the load, and come again."""
    victims = (running.apis[number % 2], running.engines[number % 2])
    threads = [
        threading.Thread(target=stopped_and_started, args=(victim, moments.uniform(1, 6)))
        for victim in victims
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE_SECONDS)
    for victim in victims:
        code, seconds = victim.exits[-1]
        print(
            f"  round {number + 1}: {victim.name} ended with {code} in {seconds:.1f} s", flush=True
        )


def disagreements(load: Load) -> list[str]:
    """Where the database is not as the answers say."""
    found = load.site.tables.rows(
        "SELECT stack.id, stack.name, stack.action, stack.status, stack.deleted_at IS NOT NULL,"
        " raw_template.template FROM stack JOIN raw_template"
        " ON raw_template.id = stack.raw_template_id WHERE stack.owner_id IS NULL"
    )
    stacks = {row[0]: row for row in found}
    wrong = []
    for name, expected in load.expected.items():
        row = stacks.pop(expected.stack_id, None)
        if row is None:
            if not expected.deleted:
                wrong.append(f"{name}: answered with 201, and not there")
            continue
        _, _, action, status, is_deleted, document = row
        state = f"{action}_{status}"
        wanted = "DELETE_COMPLETE" if expected.deleted else "UPDATE_COMPLETE"
        if state != wanted or bool(is_deleted) != expected.deleted:
            wrong.append(f"{name}: {state}, wanted {wanted}")
        if f"edition {expected.edition}" not in str(document):
            wrong.append(f"{name}: not of edition {expected.edition}")
    wrong += [f"{row[1]}: there, and no request for it was answered" for row in stacks.values()]
    for table, what in (("resource", "rows are locked"), ("sync_point", "sync points are left")):
        condition = "engine_id IS NOT NULL" if table == "resource" else "TRUE"
        [(count,)] = load.site.tables.rows(f"SELECT count(*) FROM {table} WHERE {condition}")
        wrong += [f"{count} {what}"] * bool(count)
    return wrong


def lost(answers: list[Answer]) -> list[str]:
    """Requests without an answer, and those that were refused for no fault of theirs."""
    return [
        f"{one.method} {one.stack}: {one.status or 'no answer'} {one.why}"
        for one in answers
        if one.status not in (PROMISES.get(one.method, 200), 404 if one.method == "GET" else 0)
        or not one.status
    ]


def verdict(load: Load, rounds: int) -> int:
    """Print what has come of it; the exit code."""
    running = load.site
    programs = (*running.apis, *running.engines)
    ends = [end for program in programs for end in program.exits]
    good_ends = sum(code == 0 for code, _ in ends)
    wrong = disagreements(load)
    missing = lost(load.answers)
    repeated = running.calls.repeated()
    handed_over = running.logged("the engine hands over")
    left = sum(int(line.rpartition("left=")[2].split()[0]) for line in handed_over)
    kinds = Counter(answer.method for answer in load.answers)
    counts = ", ".join(f"{kinds[method]} {method}" for method in ("POST", "PUT", "DELETE", "GET"))
    for text in (*load.problems, *wrong, *missing, *repeated)[:40]:
        print(f"  {text}")
    print(f"drain: {rounds} rounds, {good_ends} of {len(ends)} ends with exit code 0")
    print(f"drain: {len(load.answers)} requests ({counts}), {len(missing)} lost")
    print(f"drain: {len(load.expected)} stacks, {len(wrong)} unlike their answers")
    print(f"drain: {len(running.calls.done)} plugin calls, {len(repeated)} repeated")
    print(
        f"drain: {left} visits handed over, {load.refused} connections refused and made elsewhere"
    )
    failed = load.problems or wrong or missing or repeated or good_ends != len(ends)
    return 1 if failed else 0


def run(running: Site, rounds: int, clients: int, seed: int) -> int:
    """The rounds under load, and the verdict."""
    moments = random.Random(seed)
    load = Load(running, seed)
    threads = load.start(clients)
    for number in range(rounds):
        one_round(running, number, moments)
    load.ending.set()
    for thread in threads:
        thread.join(3 * PATIENCE_SECONDS)
    time.sleep(1)  # what follows a final state: purges
    return verdict(load, rounds)


def main(arguments: list[str]) -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.drain")
    parser.add_argument("--rounds", type=int, default=10, metavar="N")
    parser.add_argument("--clients", type=int, default=6, metavar="N")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    given = parser.parse_args(arguments)
    server = os.environ.get("HEAT_TRIO_TEST_MYSQL") or "mysql://root@127.0.0.1:3306/"
    print(f"drain: seed {given.seed}", flush=True)
    try:
        with site(server) as running:
            return run(running, given.rounds, given.clients, given.seed)
    except (NotRun, NoBroker) as missing:
        print(f"drain: not run: {missing}")
        return 1 if os.environ.get("CI", "").lower() == "true" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
