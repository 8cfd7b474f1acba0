"""The options that the engine's endpoints read."""

from __future__ import annotations

from dataclasses import dataclass

from heat_core.stack import StackLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Limits and switches, under heat.conf's names where it has one; -1 turns a limit off."""

    max_stacks_per_tenant: int = 512
    max_resources_per_stack: int = 1000
    max_nested_stack_depth: int = 5
    hidden_stack_tags: tuple[str, ...] = ()
    heat_revision: str = "unknown"
    """[revision] heat_revision"""
    heat_stack_user_role: str = "heat_stack_user"
    region_name: str | None = None
    deferred_auth_method: str = "trusts"

    @property
    def stack_limits(self) -> StackLimits:
        """How large and how deep stacks may become."""
        return StackLimits(
            max_nested_stack_depth=self.max_nested_stack_depth,
            max_resources_per_stack=self.max_resources_per_stack,
        )
