"""The command `heat-api`: Heat's native API, on RabbitMQ.

    heat-api --config-file /etc/heat/heat.conf

[heat_api] workers processes under a supervisor: see heat_app.web.process for how they live and end.
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
    from heat_app.native.assembly import native_api

    return native_api


PROGRAM = ApiProgram("heat-api", "heat_api", lambda settings: settings.heat_api, opening)
main = PROGRAM.main


if __name__ == "__main__":
    sys.exit(main())
