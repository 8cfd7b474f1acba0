"""The native API for a web server that somebody else runs (heat_app.web.asgi):

hypercorn --worker-class trio heat_app.native.asgi:app
"""

from heat_app.native.process import PROGRAM, opening
from heat_app.web.asgi import application

__all__ = ["app"]

app = application(PROGRAM.name, opening)
