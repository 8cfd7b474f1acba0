"""environment_dir and plugin_dirs: what every stack gets, and what is only named."""

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from heat_app.config import Settings, YaqlSettings
from heat_app.engine.operator_files import OperatorFiles
from heat_core.environment import Environment
from heat_core.environment.global_registry import DEFAULT_MAPPINGS
from heat_core.errors import EntityNotFound, RequestLimitExceeded
from heat_core.stack import Action, StackDefinition, StackId, StackRecord, Status, TemplateId
from heat_core.stack.timeouts import timeout_seconds
from heat_core.template import Template, YaqlLimits, parse_text


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "environment.d").mkdir()
    (tmp_path / "plugins" / "sub").mkdir(parents=True)
    return Settings(
        environment_dir=str(tmp_path / "environment.d"), plugin_dirs=(str(tmp_path / "plugins"),)
    )


def _write(settings: Settings, name: str, text: str) -> Path:
    path = Path(settings.environment_dir) / name
    path.write_text(text)
    return path


def test_every_file_is_an_environment_of_all_stacks(settings: Settings) -> None:
    one = _write(
        settings, "10.yaml", "resource_registry:\n  My::A: OS::Heat::None\n  My::B: My::A\n"
    )
    two = _write(
        settings,
        "20-any-name",
        "resource_registry:\n  My::A: OS::Heat::Value\n"
        "  My::T: file:///etc/heat/templates/t.yaml\n"
        "  resources:\n    secret*:\n      restricted_actions: replace\n",
    )
    (Path(settings.environment_dir) / "folder.yaml").mkdir()
    files = OperatorFiles.read(settings)
    assert files.environments == (one, two)
    assert files.warnings == ()
    with files.installed():
        environment = Environment.from_dict({"resource_registry": {"Your::X": "My::B"}})
        assert environment.registry.resolve_type("Your::X") == "OS::Heat::Value"
        assert environment.registry.resolve_type("My::T") == "file:///etc/heat/templates/t.yaml"
        assert not environment.registry.find("My::T").is_user
        user = environment.stored()["resource_registry"]
        # What a look-up followed out of the user's registry stays with the stack.
        assert user == {"Your::X": "My::B", "My::B": "My::A", "resources": {}}
    with pytest.raises(EntityNotFound):
        Environment.from_dict({}).registry.find("My::B")


def test_heats_mappings_are_those_of_its_file(settings: Settings) -> None:
    with pytest.raises(EntityNotFound):
        OperatorFiles.read(settings).registry.find("OS::Metering::Alarm")
    lines = "".join(f'  "{name}": "{target}"\n' for name, target in DEFAULT_MAPPINGS.items())
    _write(settings, "default.yaml", f"resource_registry:\n{lines}")
    registry = OperatorFiles.read(settings).registry
    assert registry.resolve_type("OS::Metering::Alarm") == "OS::Aodh::Alarm"


def test_without_the_folder_they_are_there_all_the_same(tmp_path: Path) -> None:
    files = OperatorFiles.read(Settings(environment_dir=str(tmp_path / "none"), plugin_dirs=()))
    assert files.registry.resolve_type("OS::Metering::Alarm") == "OS::Aodh::Alarm"
    assert (files.environments, files.warnings) == ((), ())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: b: c", "is no environment"),
        ("- list", "not a valid YAML mapping"),
        ("nonsense: {}\n", 'wrong section "nonsense"'),
        ("resource_registry:\n", "empty section"),
        ("resource_registry: [a]\n", "is no environment"),
        ("resource_registry: {T: 7}\n", "neither text nor a map"),
        ("resource_registry: {resources: {r: {hooks: sometimes}}}\n", "Invalid hook type"),
    ],
)
def test_a_file_that_is_none_is_left_out_and_named(
    settings: Settings, text: str, said: str
) -> None:
    bad = _write(settings, "1.yaml", text)
    good = _write(settings, "2.yaml", "resource_registry: {My::A: OS::Heat::None}\n")
    files = OperatorFiles.read(settings)
    assert files.environments == (good,)
    (sentence,) = files.warnings
    assert sentence.startswith(f"{bad} is no environment and has no effect: ")
    assert said in sentence
    assert files.registry.resolve_type("My::A") == "OS::Heat::None"


def test_other_sections_have_no_effect(settings: Settings) -> None:
    path = _write(settings, "1.yaml", "parameter_defaults: {a: b}\nparameters: {}\n")
    assert OperatorFiles.read(settings).warnings == (
        f"{path}: parameter_defaults has no effect in a global environment",
    )


def test_each_plugin_is_named(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    folder = Path(settings.plugin_dirs[0])
    for name in ("mine.py", "sub/other.py", "sub/__init__.py", "readme.txt"):
        (folder / name).write_text("raise SystemExit")
    environment = _write(settings, "1.yaml", "resource_registry: {}\n")
    files = OperatorFiles.read(settings)
    with caplog.at_level(logging.INFO):
        files.announce()
    warnings = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert [one.partition(" is not loaded")[0] for one in warnings] == [
        f"the plugin {folder / 'mine.py'}",
        f"the plugin {folder / 'sub' / 'other.py'}",
    ]
    assert caplog.records[0].fields == {"path": str(environment)}  # type: ignore[attr-defined] # our loggers set it
    with files.installed(), pytest.raises(EntityNotFound, match="My::Plugin"):
        Environment().registry.find("My::Plugin")


def test_templates_may_be_as_long_as_the_option_says(settings: Settings) -> None:
    text = f"heat_template_version: 2018-08-31\ndescription: {'x' * 100}\n"
    files = OperatorFiles.read(replace(settings, max_template_size=100))
    with files.installed(), pytest.raises(RequestLimitExceeded):
        parse_text(text)
    assert parse_text(text)["description"] == "x" * 100


def test_operations_take_as_long_as_the_option_says(settings: Settings, tmp_path: Path) -> None:
    stack = StackRecord(
        id=StackId("s"),
        name="s",
        tenant="p",
        raw_template_id=TemplateId(1),
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
    )
    for folder in (settings.environment_dir, str(tmp_path / "none")):
        changed = replace(settings, stack_action_timeout=90, environment_dir=folder)
        with OperatorFiles.read(changed).installed():
            assert timeout_seconds(stack) == 90
            assert timeout_seconds(replace(stack, timeout=2)) == 120


def test_yaql_has_the_limits_of_its_section(settings: Settings) -> None:
    template = Template({"heat_template_version": "2018-08-31"})
    changed = replace(settings, yaql=YaqlSettings(limit_iterators=3, memory_quota=4000))
    with OperatorFiles.read(changed).installed():
        assert StackDefinition.build(template).scope.yaql_limits == YaqlLimits(3, 4000)
    assert StackDefinition.build(template).scope.yaql_limits == YaqlLimits(200, 10000)
