"""Heat's errors as they travel on the wire.

The class name, the module, the text template and the `safe` mark decide the HTTP status, the
`error.type` and the `error.message` that a client sees, so they equal Heat's
(facts/errors.json). `str(error)` is the text for users. Raise these from heat_core and heat_io
alike; heat_core.rpc turns them into failures on the bus and back.
"""

from __future__ import annotations

from typing import Any, ClassVar


class HeatException(Exception):
    """Base of every error whose text may be shown to users.

    `msg_fmt` is filled with the keyword arguments; they stay readable as `kwargs`.
    `str()` gives the text. Source: facts/errors.json.
    """

    msg_fmt: ClassVar[str] = "An unknown exception occurred."
    wire_module: ClassVar[str] = "heat.common.exception"
    error_code: ClassVar[str | None] = None
    safe: ClassVar[bool] = True

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs
        self.message = self.msg_fmt % kwargs
        if self.error_code:
            self.message = f"HEAT-E{self.error_code} {self.message}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class HeatExceptionWithPath(HeatException):
    """An error with a place: the text is `error: path: message`, empty parts left out.

    Path parts that are digits print as `[n]` without a dot before them.
    Source: rules/d-properties.md#9.
    """

    msg_fmt = "%(error)s%(path)s%(message)s"

    def __init__(
        self, error: str | None = None, path: list[Any] | None = None, message: Any = None
    ) -> None:
        self.error = error or ""
        self.path: list[Any] = list(path) if path is not None else []
        self.error_message = "" if message is None else str(message)
        text = self._text()
        self.kwargs = {"error": error, "path": path, "message": message}
        self.message = text
        Exception.__init__(self, text)

    def _text(self) -> str:
        shown = ""
        for part in self.path:
            part_text = str(part)
            if isinstance(part, int) or part_text.isdigit():
                shown += f"[{part_text}]"
            elif shown:
                shown += f".{part_text}"
            else:
                shown = part_text
        return ": ".join(piece for piece in (self.error, shown, self.error_message) if piece)

    def prefixed(self, *parts: Any) -> None:
        """Put path parts in front, as an outer section re-raises an inner error."""
        self.path = [*parts, *self.path]
        self.message = self._text()
        self.args = (self.message,)


class StackValidationFailed(HeatExceptionWithPath):
    """The stack, its template or its properties are not valid."""


class ResourceFailure(HeatExceptionWithPath):
    """A resource action failed: "<ExcClass>: resources.<name>: <text>" (rules/g#4)."""


class EntityNotFound(HeatException):
    """Something that the caller named does not exist, or is not visible to the caller."""

    msg_fmt = "The %(entity)s (%(name)s) could not be found."

    def __init__(self, entity: str | None = None, name: str | None = None, **kwargs: Any) -> None:
        self.entity = entity
        self.name = name
        super().__init__(entity=entity, name=name, **kwargs)


class NotFound(HeatException):
    """Not found, with a text of the caller's."""

    def __init__(self, msg_fmt: str = "Not found") -> None:
        self.kwargs = {}
        self.message = msg_fmt
        Exception.__init__(self, msg_fmt)


class Error(HeatException):
    """A failure with a free text."""

    msg_fmt = "%(message)s"

    def __init__(self, message: str) -> None:
        super().__init__(message=message)


class Forbidden(HeatException):
    """Policy denies the action."""

    msg_fmt = "You are not authorized to use %(action)s."

    def __init__(self, action: str = "this action") -> None:
        super().__init__(action=action)


class NotAuthorized(Forbidden):
    """Denied, without naming the action."""

    msg_fmt = "You are not authorized to complete this action."


class AuthorizationFailure(HeatException):
    """Keystone did not give a token."""

    msg_fmt = "Authorization failed.%(failure_reason)s"

    def __init__(self, failure_reason: str = "") -> None:
        super().__init__(failure_reason=f" {failure_reason}" if failure_reason else "")
        # Receivers build it anew and put their own space before the reason.
        self.kwargs = {"failure_reason": failure_reason}


class ResourceInError(HeatException):
    """A service says that the object went into an error state."""

    msg_fmt = 'Went to status %(resource_status)s due to "%(status_reason)s"'

    def __init__(self, status_reason: str = "Unknown", **kwargs: Any) -> None:
        super().__init__(status_reason=status_reason, **kwargs)


class ResourceUnknownStatus(HeatException):
    """A service reports a state that the plugin does not know."""

    msg_fmt = '%(result)s - Unknown status %(resource_status)s due to "%(status_reason)s"'

    def __init__(
        self, result: str = "Resource failed", status_reason: str = "Unknown", **kwargs: Any
    ) -> None:
        super().__init__(result=result, status_reason=status_reason, **kwargs)


class ResourceTypeUnavailable(HeatException):
    """The service behind a type is not in the catalog (the one ignorable error)."""

    error_code = "99001"
    msg_fmt = (
        "Service %(service_name)s is not available for resource type %(resource_type)s, "
        "reason: %(reason)s"
    )


class _NamesJoined(HeatException):
    _key: ClassVar[str]

    def __init__(self, *names: str, **kwargs: Any) -> None:
        if names:
            kwargs.setdefault(self._key, ", ".join(names))
        super().__init__(**kwargs)


class ImmutableParameterModified(_NamesJoined):
    _key = "keys"
    msg_fmt = "The following parameters are immutable and may not be updated: %(keys)s"


class PropertyUnspecifiedError(_NamesJoined):
    _key = "props"
    msg_fmt = "At least one of the following properties must be specified: %(props)s."


class ResourcePropertyConflict(_NamesJoined):
    _key = "props"
    msg_fmt = "Cannot define the following properties at the same time: %(props)s."


class ActionInProgress(HeatException):
    msg_fmt = "Stack %(stack_name)s already has an action (%(action)s) in progress."


class ActionNotComplete(HeatException):
    msg_fmt = "Stack %(stack_name)s has an action (%(action)s) in progress or failed state."


class CircularDependencyException(HeatException):
    msg_fmt = "Circular Dependency Found: %(cycle)s"


class ClientNotAvailable(HeatException):
    msg_fmt = "The client (%(client_name)s) is not available."


class ConcurrentTransaction(HeatException):
    msg_fmt = "Concurrent transaction for %(action)s"


class ConflictingMergeStrategyForParam(HeatException):
    msg_fmt = (
        "Conflicting merge strategy '%(strategy)s' for parameter '%(param)s' "
        "in file '%(env_file)s'."
    )


class DownloadLimitExceeded(HeatException):
    msg_fmt = "Permissible download limit exceeded: %(message)s"


class EgressRuleNotAllowed(HeatException):
    msg_fmt = "Egress rules are only allowed when Neutron is used and the 'VpcId' property is set."


class EntityMatchNotFound(HeatException):
    wire_module = "heat.engine.clients.client_exception"
    msg_fmt = "No %(entity)s matching %(args)s."

    def __init__(self, entity: str | None = None, args: Any = None, **kwargs: Any) -> None:
        super().__init__(entity=entity, args=args, **kwargs)


class EntityUniqueMatchNotFound(EntityMatchNotFound):
    wire_module = "heat.engine.clients.client_exception"
    msg_fmt = "No %(entity)s unique match found for %(args)s."


class EventSendFailed(HeatException):
    msg_fmt = "Failed to send message to stack (%(stack_name)s) on other engine (%(engine_id)s)"


class IncompatibleObjectVersion(HeatException):
    msg_fmt = "Version %(objver)s of %(objname)s is not supported"


class InterfaceAttachFailed(HeatException):
    msg_fmt = "Failed to attach interface (%(port)s) to server (%(server)s)"


class InterfaceDetachFailed(HeatException):
    msg_fmt = "Failed to detach interface (%(port)s) from server (%(server)s)"


class InterfaceNotFound(HeatException):
    wire_module = "heat.engine.clients.client_exception"
    msg_fmt = "No network interface found for server %(id)s."


class Invalid(HeatException):
    msg_fmt = "Data supplied was not valid: %(reason)s"


class InvalidBreakPointHook(HeatException):
    msg_fmt = "%(message)s"


class InvalidContentType(HeatException):
    msg_fmt = "Invalid content type %(content_type)s"


class InvalidEncryptionKey(HeatException):
    msg_fmt = "Can not decrypt data with the auth_encryption_key in heat config."


class InvalidExternalResourceDependency(HeatException):
    msg_fmt = "Invalid dependency with external %(resource_type)s resource: %(external_id)s"


class InvalidGlobalResource(HeatException):
    msg_fmt = "There was an error loading the definition of the global resource type %(type_name)s."


class InvalidMergeStrategyForParam(HeatException):
    msg_fmt = "Invalid merge strategy '%(strategy)s' for parameter '%(param)s'."


class InvalidRestrictedAction(HeatException):
    msg_fmt = "%(message)s"


class InvalidSchemaError(HeatException):
    msg_fmt = "%(message)s"


class InvalidServiceVersion(HeatException):
    msg_fmt = "Invalid service %(service)s version %(version)s"


class InvalidTemplateAttribute(HeatException):
    msg_fmt = "The Referenced Attribute (%(resource)s %(key)s) is incorrect."


class InvalidTemplateReference(HeatException):
    msg_fmt = 'The specified reference "%(resource)s" (in %(key)s) is incorrect.'


class InvalidTemplateSection(HeatException):
    msg_fmt = "The template section is invalid: %(section)s"


class InvalidTemplateVersion(HeatException):
    msg_fmt = "The template version is invalid: %(explanation)s"


class InvalidTemplateVersions(HeatException):
    msg_fmt = (
        "A template version alias %(version)s was added for a template class "
        "that has no official YYYY-MM-DD version."
    )


class InvalidTenant(HeatException):
    msg_fmt = "Searching Tenant %(target)s from Tenant %(actual)s forbidden."


class KeystoneServiceNameConflict(HeatException):
    msg_fmt = (
        "Keystone has more than one service with same name %(service)s. "
        "Please use service id instead of name"
    )


class MissingCredentialError(HeatException):
    msg_fmt = "Missing required credential: %(required)s"


class NotAuthenticated(HeatException):
    msg_fmt = "You are not authenticated."


class NotSupported(HeatException):
    msg_fmt = "%(feature)s is not supported."


class ObjectActionError(HeatException):
    msg_fmt = "Object action %(action)s failed because: %(reason)s"


class ObjectFieldInvalid(HeatException):
    msg_fmt = "Field %(field)s of %(objname)s is not an instance of Field"


class OrphanedObjectError(HeatException):
    msg_fmt = "Cannot call %(method)s on orphaned %(objtype)s object"


class PhysicalResourceExists(HeatException):
    msg_fmt = "The physical resource for (%(name)s) exists."


class PhysicalResourceIDAmbiguity(HeatException):
    msg_fmt = "Multiple resources were found with the physical ID (%(phys_id)s)."


class PhysicalResourceNameAmbiguity(HeatException):
    msg_fmt = "Multiple physical resources were found with name (%(name)s)."


class ReadOnlyFieldError(HeatException):
    msg_fmt = "Cannot modify readonly field %(field)s"


class RequestLimitExceeded(HeatException):
    msg_fmt = "Request limit exceeded: %(message)s"


class ResourceActionNotSupported(HeatException):
    msg_fmt = "%(action)s is not supported for resource."


class ResourceActionRestricted(HeatException):
    msg_fmt = "%(action)s is restricted for resource."


class ResourceNotAvailable(HeatException):
    msg_fmt = "The Resource (%(resource_name)s) is not available."


class ResourceNotFound(EntityNotFound):
    msg_fmt = "The Resource (%(resource_name)s) could not be found in Stack %(stack_name)s."

    def __init__(self, **kwargs: Any) -> None:
        self.entity = None
        self.name = None
        HeatException.__init__(self, **kwargs)


class ResourcePropertyDependency(HeatException):
    msg_fmt = "%(prop1)s cannot be specified without %(prop2)s."


class ResourcePropertyValueDependency(HeatException):
    msg_fmt = "%(prop1)s property should only be specified for %(prop2)s with value %(value)s."


class SIGHUPInterrupt(HeatException):
    msg_fmt = "System SIGHUP signal received."


class SecurityGroupNotFound(HeatException):
    wire_module = "heat.engine.resources.aws.ec2.security_group"
    msg_fmt = 'Security Group "%(group_name)s" not found'


class SnapshotNotFound(EntityNotFound):
    msg_fmt = "The Snapshot (%(snapshot)s) for Stack (%(stack)s) could not be found."

    def __init__(self, **kwargs: Any) -> None:
        self.entity = None
        self.name = None
        HeatException.__init__(self, **kwargs)


class StackExists(HeatException):
    msg_fmt = "The Stack (%(stack_name)s) already exists."


class StackResourceLimitExceeded(HeatException):
    msg_fmt = "Maximum resources per stack exceeded."


class StopActionFailed(HeatException):
    msg_fmt = "Failed to stop stack (%(stack_name)s) on other engine (%(engine_id)s)"


class SwiftSignalFailure(Error):
    wire_module = "heat.engine.resources.openstack.heat.swiftsignal"


class SwiftSignalTimeout(Error):
    wire_module = "heat.engine.resources.openstack.heat.swiftsignal"


class TemplateOutputError(HeatException):
    msg_fmt = "Error in %(resource)s output %(attribute)s: %(message)s"


class TemplatePluginNotRegistered(HeatException):
    wire_module = "heat.engine.template"
    msg_fmt = "Could not load %(name)s: %(error)s"


class URLFetchError(Error):
    wire_module = "heat.common.urlfetch"


class UnableToAutoAllocateNetwork(HeatException):
    msg_fmt = "Unable to automatically allocate a network: %(message)s"


class UnknownUserParameter(HeatException):
    msg_fmt = "The Parameter (%(key)s) was not defined in template."


class UnsupportedObjectError(HeatException):
    msg_fmt = "Unsupported object type %(objtype)s"


class UserParameterMissing(HeatException):
    msg_fmt = "The Parameter (%(key)s) was not provided."


class WaitConditionFailure(Error):
    wire_module = "heat.engine.resources.wait_condition"


class WaitConditionTimeout(Error):
    wire_module = "heat.engine.resources.wait_condition"


class UpdateReplace(Exception):
    """A resource cannot be updated in place: replace it. Never reaches a user as an error."""

    safe: ClassVar[bool] = False

    def __init__(self, resource_name: str = "Unknown") -> None:
        super().__init__(f"The Resource {resource_name} requires replacement.")


class UpdateInProgress(Exception):
    """The resource is held by another engine."""

    safe: ClassVar[bool] = False

    def __init__(self, resource_name: str = "Unknown") -> None:
        super().__init__(f"The resource {resource_name} is already being updated.")
