"""`heat-trio validate`: a template checked on this machine alone, without server and network."""

from heat_app.validate.checking import Asked, Checked, check
from heat_app.validate.local_files import Unreadable

__all__ = ["Asked", "Checked", "Unreadable", "check"]
