"""`heat-trio validate`: arguments in, text or JSON out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from heat_app.validate.checking import ERROR_CODES, Asked, check
from heat_app.validate.deeper import doubts, mistakes
from heat_app.validate.local_files import Unreadable, path_shown, url_of
from heat_app.validate.pointing import Pointer
from heat_app.validate.report import as_json, as_lines, summary
from heat_io.sandbox import Sandbox


def validate(argv: Sequence[str]) -> int:
    """Check a template; 0 when it is valid, 1 when it is not, 2 when it cannot be read."""
    arguments = _arguments(argv)
    asked = Asked(
        template=url_of(arguments.template),
        environments=[url_of(path) for path in arguments.environment],
        parameters=dict(arguments.parameter),
        show_nested=arguments.show_nested,
        ignored_errors=arguments.ignore_errors,
    )
    try:
        with Sandbox(workers=1).installed():
            return _print_json(asked) if arguments.format == "json" else _print_text(asked)
    except Unreadable as problem:
        print(f"heat-trio: {problem}", file=sys.stderr)
        return 2


def _print_json(asked: Asked) -> int:
    checked = check(asked)
    print(as_json(checked))
    return 0 if checked.is_valid else 1


def _print_text(asked: Asked) -> int:
    checked = check(asked)
    pointer = Pointer(asked.template, asked.environments, checked.files, checked.definition)
    if checked.error is not None:
        errors = [pointer.point(checked.error)]
    else:
        errors = mistakes(checked, pointer)
    for kind, findings in (("error", errors), ("warning", doubts(checked, pointer))):
        for finding in findings:
            print("\n".join(as_lines(finding, kind, pointer)))
    if not errors:
        print(summary(checked, path_shown(asked.template)))
    return 1 if errors else 0


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="heat-trio validate",
        description="Check a template without a server: names, structure, and where a mistake is.",
    )
    parser.add_argument("template", help="path of the template")
    parser.add_argument(
        "-e", "--environment", action="append", default=[], metavar="ENV", help="environment file"
    )
    parser.add_argument(
        *("-P", "--parameter"),
        action="append",
        default=[],
        type=_parameter,
        metavar="key=value",
        help="value of a parameter",
    )
    parser.add_argument(
        "--show-nested",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="tell the parameters of nested stacks too (default: yes)",
    )
    parser.add_argument(
        *("--ignore-errors",),
        type=_codes,
        default=frozenset(),
        metavar="CODES",
        help="codes of errors that don't count, with commas between them (99001)",
    )
    parser.add_argument(
        *("--format",),
        choices=("text", "json"),
        default="text",
        help="text (default): where mistakes are; json: the answer of the validate call",
    )
    return parser.parse_args(argv)


def _parameter(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f'"{given}" is not key=value')
    return name, value


def _codes(given: str) -> frozenset[str]:
    codes = frozenset(given.split(","))
    unknown = codes - ERROR_CODES
    if unknown:
        raise argparse.ArgumentTypeError(f"no error has the code {', '.join(sorted(unknown))}")
    return codes
