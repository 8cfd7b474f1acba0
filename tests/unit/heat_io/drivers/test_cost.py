"""What a stack costs grows with its size and no faster: statements linear, one parse."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench._deployment import Deployment, Measured
from bench.random_strings import template


async def cost(deployment: Deployment, size: int) -> tuple[Measured, Measured]:
    stack_id, created = await deployment.create(f"flat-{size}", template(size))
    return created, await deployment.delete(stack_id)


@pytest.mark.blocks_the_loop("a machine under load may pause anything for that long")
async def test_statements_are_linear_and_the_template_is_parsed_once(tmp_path: Path) -> None:
    async with Deployment.open(tmp_path / "heat.sqlite") as deployment:
        small = await cost(deployment, 10)
        large = await cost(deployment, 40)
    for before, after in zip(small, large, strict=True):
        assert after.parses == before.parses == 1
        # How many statements the resources share depends on how many are ready together; alone
        # each needs ten at most. The part that does not depend on the size is small: no hidden
        # square.
        assert before.statements < 60 + 10 * 10
        assert after.statements < 60 + 10 * 40
