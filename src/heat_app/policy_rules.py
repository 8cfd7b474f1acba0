"""Heat's default policy rules as data (facts/policies.json).

A rule has a check in oslo.policy's language, the scopes of tokens it takes, and the check that
counted before it: an operator with `[oslo_policy] enforce_new_defaults = false` gets either.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RULES", "Rule"]

READER = "role:reader and project_id:%(project_id)s"
MEMBER = "role:member and project_id:%(project_id)s"
ADMIN = "role:admin and project_id:%(project_id)s"
READER_OR_STACK_USER = (
    "(role:reader and project_id:%(project_id)s)"
    " or (role:heat_stack_user and project_id:%(project_id)s)"
)
PROJECT = ("project",)


@dataclass(frozen=True, slots=True)
class Rule:
    """One default. `scopes` None: tokens of any scope; `before`: the check it replaced."""

    check: str
    scopes: tuple[str, ...] | None = PROJECT
    before: str | None = None


_BASE = {
    "allow_everybody": Rule("", None),
    "context_is_admin": Rule("(role:admin and is_admin_project:True)", None),
    "deny_everybody": Rule("!", None),
    "deny_stack_user": Rule("not role:heat_stack_user", None),
    "project_admin": Rule("role:admin", None),
    "service:index": Rule(ADMIN, before="rule:context_is_admin"),
    "software_configs:global_index": Rule("rule:deny_everybody", None),
    "software_deployments:metadata": Rule(READER_OR_STACK_USER),
    "stacks:global_index": Rule("rule:deny_everybody", None),
    "stacks:update_no_change": Rule("rule:stacks:update_patch"),
}

_FOR_READERS = {
    "actions": "check",
    "build_info": "build_info",
    "cloudformation": """DescribeStackEvents DescribeStackResources DescribeStacks
        EstimateTemplateCost GetTemplate ListStackResources ListStacks ValidateTemplate""",
    "events": "index show",
    "resource": "index show",
    "software_configs": "index show",
    "software_deployments": "index show",
    "stacks": """detail environment files index list_outputs list_resource_types list_snapshots
        list_template_functions list_template_versions preview resource_schema show show_output
        show_snapshot template""",
}

_FOR_MEMBERS = {
    "actions": """action cancel_update cancel_without_rollback resume snapshot suspend""",
    "cloudformation": "CancelUpdateStack CreateStack DeleteStack UpdateStack",
    "resource": "mark_unhealthy",
    "software_configs": "create delete",
    "software_deployments": "create delete update",
    "stacks": """abandon create delete delete_snapshot export generate_template preview_update
        preview_update_patch restore_snapshot snapshot update update_patch validate_template""",
}

_FOR_STACK_USERS = {
    "cloudformation": "DescribeStackResource",
    "resource": "metadata signal",
    "stacks": "lookup",
}

_FOR_PROJECT_ADMINS = """
    Blazar::Host Cinder::EncryptedVolumeType Cinder::QoSAssociation Cinder::QoSSpecs Cinder::Quota
    Cinder::VolumeType Keystone::* Manila::ShareType Neutron::ProviderNet
    Neutron::QoSBandwidthLimitRule Neutron::QoSDscpMarkingRule Neutron::QoSMinimumBandwidthRule
    Neutron::QoSMinimumPacketRateRule Neutron::QoSPolicy Neutron::Quota Neutron::Segment
    Nova::Flavor Nova::HostAggregate Nova::Quota Octavia::AvailabilityZone
    Octavia::AvailabilityZoneProfile Octavia::Flavor Octavia::FlavorProfile Octavia::Quota"""


def _each(actions: dict[str, str], rule: Rule) -> dict[str, Rule]:
    return {f"{scope}:{name}": rule for scope, names in actions.items() for name in names.split()}


RULES: dict[str, Rule] = {
    **_BASE,
    **_each(_FOR_READERS, Rule(READER, before="rule:deny_stack_user")),
    **_each(_FOR_MEMBERS, Rule(MEMBER, before="rule:deny_stack_user")),
    **_each(_FOR_STACK_USERS, Rule(READER_OR_STACK_USER, before="rule:allow_everybody")),
    **{
        f"resource_types:OS::{name}": Rule("rule:project_admin")
        for name in _FOR_PROJECT_ADMINS.split()
    },
}
