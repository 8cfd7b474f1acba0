"""Who may do what: oslo.policy with Heat's default rules and the operator's policy files.

Two enforcers as in Heat: API rules that are not known deny, resource types that no rule names
are allowed. Tokens of a wrong scope are denied (facts/policies.json).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

from oslo_config import cfg
from oslo_policy import policy as oslo

from heat_app.config import PolicySettings
from heat_app.policy_rules import RULES

if TYPE_CHECKING:
    from heat_app.config import Settings
    from heat_core.rpc import RequestContext

__all__ = ["Policy"]


class Policy:
    """Answers policy questions; re-reads changed policy files by itself."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._api = _enforcer(conf, "!")
        self._types = _enforcer(conf, "@")

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Policy for the files and options that [oslo_policy] of `settings` names."""
        conf = cfg.ConfigOpts()
        conf([], project="heat", default_config_files=list(settings.config_files))
        # Registers [oslo_policy]; what settings say wins over the files, which `up` has none of.
        oslo.Enforcer(conf)
        for option in fields(PolicySettings):
            value = getattr(settings.oslo_policy, option.name)
            conf.set_override(
                option.name,
                list(value) if isinstance(value, tuple) else value,
                group="oslo_policy",
            )
        return cls(conf)

    def enforce(self, rule: str, context: RequestContext, target: Mapping[str, Any]) -> bool:
        """Whether the caller may do `rule` ("stacks:create") to `target`.

        The API's targets are {"project_id": the URL's project}. A rule that Heat does not have
        raises LookupError: that is a slip in our code, never an answer to a user.
        """
        if rule not in RULES:
            raise LookupError(f"no policy rule is called {rule}")
        return bool(self._api.enforce(rule, dict(target), _credentials(context)))

    def is_admin(self, context: RequestContext) -> bool:
        """Whether the caller passes `context_is_admin`."""
        return self.enforce("context_is_admin", context, {})

    def allows_resource_type(self, type_name: str, context: RequestContext) -> bool:
        """Whether stacks of the caller may hold `type_name`: its own rule, then its family's.

        The family's rule of OS::Nova::Server is `resource_types:OS::Nova::*`.
        """
        family = "::".join([*type_name.split("::")[:-1], "*"])
        return all(
            bool(self._types.enforce(rule, {}, _credentials(context)))
            for rule in (f"resource_types:{type_name}", f"resource_types:{family}")
            if rule in self._types.registered_rules
        )


def _enforcer(conf: cfg.ConfigOpts, default_check: str) -> oslo.Enforcer:
    default = oslo.Rules.from_dict({"default": default_check})["default"]
    enforcer = oslo.Enforcer(conf, default_rule=default)
    # The replaced defaults are part of the contract with operators, not a thing to warn of.
    enforcer.suppress_deprecation_warnings = True
    enforcer.register_defaults(
        [
            oslo.RuleDefault(
                name,
                rule.check,
                scope_types=list(rule.scopes) if rule.scopes else None,
                deprecated_rule=None
                if rule.before is None
                else oslo.DeprecatedRule(
                    name,
                    rule.before,
                    deprecated_reason="the default admits fewer roles now",
                    deprecated_since="W",
                ),
            )
            for name, rule in RULES.items()
        ]
    )
    return enforcer


def _credentials(context: RequestContext) -> dict[str, Any]:
    return {
        "user_id": context.user_id,
        "user_domain_id": context.user_domain_id,
        "system_scope": context.system_scope,
        "domain_id": context.domain_id,
        "project_id": context.project_id,
        "project_domain_id": context.project_domain_id,
        "roles": list(context.roles),
        "is_admin_project": context.is_admin_project,
        "is_admin": context.is_admin,
        "user": context.user_id,
        "tenant": context.project_id,
        "auth_token_info": context.auth_token_info,
    }
