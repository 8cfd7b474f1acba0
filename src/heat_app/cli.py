"""The command `heat-trio`.

Only what every start needs is imported here; a subcommand imports the rest once signals are
handled (heat_app.standalone).
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run `heat-trio ARGV`; return 0 when fine, 1 when the stack failed, 2 for the environment."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in (["--version"], ["-V"]):
        from importlib.metadata import version

        print(f"heat-trio {version('heat-trio')}")
        return 0
    if arguments[:1] == ["up"]:
        from heat_app.standalone.command import up

        return up(arguments[1:])
    if arguments[:1] == ["doctor"]:
        from heat_app.doctor.command import doctor

        return doctor(arguments[1:])
    if arguments[:1] == ["validate"]:
        from heat_app.validate.command import validate

        return validate(arguments[1:])
    asked = arguments in (["--help"], ["-h"])
    print(_USAGE, file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


_USAGE = """\
usage: heat-trio [--version] COMMAND

commands:
  up        run everything in one process: API, engine, SQLite and a Keystone (heat-trio up --help)
  doctor    say what is the matter with a stack, repair it if asked to (heat-trio doctor --help)
  validate  check a template on this machine alone (heat-trio validate --help)"""


if __name__ == "__main__":
    sys.exit(main())
