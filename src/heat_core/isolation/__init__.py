"""Work that a user's text can make endless: the port to who does it elsewhere, and the work.

This package imports nothing else of heat_core: the sandbox's workers load it and little more.
"""

from heat_core.isolation.port import (
    Isolation,
    Job,
    Postponed,
    TooCostly,
    inline,
    isolated,
    using,
)

__all__ = ["Isolation", "Job", "Postponed", "TooCostly", "inline", "isolated", "using"]
