"""The engine about itself: its revision, its processes, the caller's credentials."""

from __future__ import annotations

from typing import Any

from heat_app.engine.formatting import shown_service
from heat_app.engine.ports import Endpoint
from heat_core.rpc import RequestContext
from heat_io.database import services


class ServiceReads(Endpoint):
    """What can be asked of the service itself."""

    async def get_revision(self, context: RequestContext) -> str:
        """The option [revision] heat_revision."""
        return self._parts.settings.heat_revision

    async def list_services(self, context: RequestContext) -> list[dict[str, Any]]:
        """The engine processes that have reported and were not stopped."""
        found = await self._parts.database.read(services.list_live)
        now = self._parts.now()
        return [shown_service(service, now) for service in found]

    async def authenticated_to_backend(self, context: RequestContext) -> bool:
        """Whether the context holds credentials; only the standalone API without Keystone asks."""
        return context.auth_token is not None or context.trust_id is not None
