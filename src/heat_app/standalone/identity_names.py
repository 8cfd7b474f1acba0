"""Names in the Keystone beside `heat-trio up` that parent and child must agree on."""

from __future__ import annotations

from typing import Final

STACK_DOMAIN: Final = "heat"
STACK_DOMAIN_ADMIN: Final = "heat_domain_admin"
