"""resource_facade, Fn::ResourceFacade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import ParentView, Resolution, Scope


class ResourceFacade(Function):
    """Metadata or a policy of the resource that the stack stands for in its parent."""

    __slots__ = ()

    names: ClassVar[tuple[str, ...]] = ("metadata", "deletion_policy", "update_policy")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        if args not in self.names:
            raise ValueError(
                f'Incorrect arguments to "{name}" should be one of: {", ".join(self.names)}'
            )

    def resolve(self, at: Resolution) -> Any:
        parent = at.scope.parent
        if parent is None:
            raise AttributeError("the stack has no parent resource")
        return self._read(parent, self.names.index(resolve(self.args, at)))

    def _read(self, parent: ParentView, which: int) -> Any:
        if which == 0:
            return parent.metadata
        if which == 1:
            return parent.deletion_policy
        return parent.update_policy or {}


class CfnResourceFacade(ResourceFacade):
    """Fn::ResourceFacade spells the names its own way."""

    __slots__ = ()

    names = ("Metadata", "DeletionPolicy", "UpdatePolicy")
