"""The command `heat-api-cfn`: Heat's CloudFormation-compatible API.

    heat-api-cfn --config-file /etc/heat/heat.conf

[heat_api_cfn] workers processes under a supervisor: see heat_app.web.process for how they live and
end.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from heat_app.web.process import ApiProgram

if TYPE_CHECKING:
    from heat_app.web.asgi import Opening

__all__ = ["PROGRAM", "main", "opening"]


def opening() -> Opening:
    """What opens the API's application."""
    from heat_app.cfn.assembly import cfn_api

    return cfn_api


PROGRAM = ApiProgram(
    "heat-api-cfn", "heat_api_cfn", lambda settings: settings.heat_api_cfn, opening
)
main = PROGRAM.main


if __name__ == "__main__":
    sys.exit(main())
