"""The default rules equal Heat's, and are enforced as Heat enforces them."""

import json
from pathlib import Path

import pytest

from heat_app.config import PolicySettings, Settings
from heat_app.policy import Policy
from heat_app.policy_rules import RULES
from heat_core.rpc import RequestContext

MEMBER = RequestContext(user_id="u", project_id="p", roles=("member", "reader"))
READER = RequestContext(user_id="r", project_id="p", roles=("reader",))
STACK_USER = RequestContext(user_id="s", project_id="p", roles=("heat_stack_user",))
ADMIN = RequestContext(user_id="a", project_id="p", roles=("admin", "member", "reader"))
HERE = {"project_id": "p"}


def _policy(folder: Path, **options: object) -> Policy:
    section = PolicySettings(policy_file=str(folder / "policy.yaml"), policy_dirs=(), **options)  # type: ignore[arg-type] # options of the test
    return Policy.from_settings(Settings(oslo_policy=section))


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return _policy(tmp_path)


def test_the_rules_are_heats(shared: Path) -> None:
    recorded = json.loads((shared / "facts" / "policies.json").read_text())["rules"]
    ours = {
        name: {
            "check": rule.check,
            "scopes": list(rule.scopes) if rule.scopes else None,
            "before": rule.before,
        }
        for name, rule in RULES.items()
    }
    heats = {
        name: {
            "check": rule["check"],
            "scopes": rule["scope_types"],
            "before": (rule.get("deprecated_rule") or {}).get("check"),
        }
        for name, rule in recorded.items()
    }
    assert ours == heats
    assert len(ours) == 100


@pytest.mark.parametrize(
    ("rule", "context", "allowed"),
    [
        ("stacks:create", MEMBER, True),
        ("stacks:create", READER, False),
        ("stacks:index", READER, True),
        ("stacks:index", STACK_USER, False),
        ("stacks:lookup", STACK_USER, True),
        ("stacks:global_index", ADMIN, False),
        ("service:index", ADMIN, True),
        ("service:index", MEMBER, False),
        ("stacks:update_no_change", MEMBER, True),
    ],
)
def test_roles(policy: Policy, rule: str, context: RequestContext, allowed: bool) -> None:
    assert policy.enforce(rule, context, HERE) is allowed


def test_another_project_and_an_empty_target_are_denied(policy: Policy) -> None:
    assert not policy.enforce("stacks:index", MEMBER, {"project_id": "q"})
    assert not policy.enforce("stacks:index", MEMBER, {})


def test_tokens_of_a_wrong_scope_are_denied(policy: Policy) -> None:
    system = RequestContext(user_id="a", roles=("admin", "member", "reader"), system_scope="all")
    assert not policy.enforce("stacks:index", system, {"project_id": None})


def test_admin_needs_the_admin_project(policy: Policy) -> None:
    assert policy.is_admin(ADMIN)
    assert not policy.is_admin(MEMBER)
    elsewhere = RequestContext(project_id="p", roles=("admin",), is_admin_project=False)
    assert not policy.is_admin(elsewhere)


def test_resource_types(policy: Policy) -> None:
    assert policy.allows_resource_type("OS::Heat::Value", MEMBER)
    assert policy.allows_resource_type("OS::Nova::Server", MEMBER)
    assert not policy.allows_resource_type("OS::Nova::Flavor", MEMBER)
    assert not policy.allows_resource_type("OS::Keystone::Project", MEMBER)
    assert policy.allows_resource_type("OS::Keystone::Project", ADMIN)


def test_a_rule_that_does_not_exist_is_our_error(policy: Policy) -> None:
    with pytest.raises(LookupError):
        policy.enforce("stacks:explode", ADMIN, HERE)


def test_the_operators_file_wins_and_is_read_again(tmp_path: Path) -> None:
    policy = _policy(tmp_path)
    assert not policy.enforce("stacks:global_index", ADMIN, HERE)
    (tmp_path / "policy.yaml").write_text('"stacks:global_index": "role:admin"\n')
    assert policy.enforce("stacks:global_index", ADMIN, HERE)


def test_old_defaults_count_when_the_operator_says_so(tmp_path: Path) -> None:
    nobody_special = RequestContext(user_id="x", project_id="p", roles=("other",))
    assert not _policy(tmp_path).enforce("stacks:create", nobody_special, HERE)
    old = _policy(tmp_path, enforce_new_defaults=False)
    assert old.enforce("stacks:create", nobody_special, HERE)
    assert not old.enforce("stacks:create", STACK_USER, HERE)
