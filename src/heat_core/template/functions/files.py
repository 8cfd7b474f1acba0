"""get_file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution


class GetFile(Function):
    """The text of one of the files that came with the template; it is not parsed."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        key = resolve(self.args, at)
        if not isinstance(key, str):
            raise TypeError(f'Argument to "{self.name}" must be a string')
        content = at.scope.files.get(key)
        if content is None:
            raise ValueError(f'No content found in the "files" section for {self.name} path: {key}')
        return content
