"""The CloudFormation-compatible API put together, for a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from heat_app.cfn.app import CfnApi
from heat_app.web.start import Start

__all__ = ["cfn_api"]


@asynccontextmanager
async def cfn_api(start: Start) -> AsyncIterator[CfnApi]:
    """The API's application; it needs neither broker nor Keystone while no action is built."""
    yield CfnApi(start.settings, pipeline=start.pipeline)
