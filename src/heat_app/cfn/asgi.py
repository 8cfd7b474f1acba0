"""The CloudFormation-compatible API for a web server that somebody else runs (heat_app.web.asgi):

hypercorn --worker-class trio heat_app.cfn.asgi:app
"""

from heat_app.cfn.process import PROGRAM, opening
from heat_app.web.asgi import application

__all__ = ["app"]

app = application(PROGRAM.name, opening)
