"""Trusts: how the service goes on working for a user who has left.

A trust is made from a user's token when a stack is stored: trustor the user, trustee the service
user, with impersonation (rules/k-locks-services.md#19-20).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from heat_core.errors import AuthorizationFailure, MissingCredentialError
from heat_core.procedure import HttpCall, ServiceError
from heat_core.rpc import RequestContext
from heat_io.openstack.credentials import (
    Credentials,
    PasswordLogin,
    StoredCredentials,
    TokenRequest,
    Trust,
    credentials_of,
    with_trust,
)
from heat_io.openstack.services import ServiceClient, Session
from heat_io.openstack.tokens import NoToken, Tokens

log = logging.getLogger(__name__)

_TRUSTS = "/v3/OS-TRUST/trusts"


class Trusts:
    """Makes and deletes the trusts of stacks."""

    def __init__(
        self,
        services: ServiceClient,
        tokens: Tokens,
        *,
        trustee: PasswordLogin,
        delegated_roles: Sequence[str] = (),
        allow_redelegation: bool = False,
    ) -> None:
        """`delegated_roles` is trusts_delegated_roles: role names, empty for all of the user's.

        `allow_redelegation`: reauthentication_auth_method is "trusts" and
        allow_trusts_redelegation is set.
        """
        self._services = services
        self._tokens = tokens
        self._trustee = trustee
        self._delegated_roles = tuple(delegated_roles)
        self._allow_redelegation = allow_redelegation

    async def create(
        self, context: RequestContext, *, request_id: str | None = None
    ) -> RequestContext:
        """The context with a trust made from its token; unchanged when it has one already.

        Raises AuthorizationFailure when the service user can't log in, the context holds no
        credentials, or Keystone makes no trust with them; MissingCredentialError when the user
        lacks a role that is to be delegated; ServiceError for Keystone's other answers.
        """
        return context if context.trust_id else await self._create(context, request_id)

    async def regenerate(
        self, context: RequestContext, *, request_id: str | None = None
    ) -> RequestContext:
        """The context with a new trust; a trust that it had is deleted afterwards."""
        renewed = await self._create(context, request_id)
        if context.trust_id:
            await self.delete(credentials_of(context), context.trust_id)
        return renewed

    async def delete(self, credentials: Credentials, trust_id: str) -> None:
        """Delete the trust; fine when it is gone, or when the credentials aren't good any more."""
        try:
            call = HttpCall("DELETE", "identity", f"{_TRUSTS}/{trust_id}")
            await self._services.send(credentials, call)
        except ServiceError as error:
            # No trust, no token: Heat gives up quietly in both cases.
            if error.status not in (401, 404):
                raise
        finally:
            self._tokens.forget(self._services.token_request(Trust(trust_id)))

    async def delete_stored(self, context: RequestContext, stored: StoredCredentials) -> None:
        """Delete the trust of stored credentials, as the user if it is hers, else through itself.

        Whoever may delete a stack isn't always its trustor, and only the trustor (or an
        administrator) may delete the trust.
        """
        if not stored.trust_id:
            return
        hers = context.user_id is not None and context.user_id == stored.trustor_user_id
        credentials = credentials_of(context) if hers else stored.credentials()
        await self.delete(credentials, stored.trust_id)

    async def trustee_id(self) -> str:
        """The service user's id; raises AuthorizationFailure when the user can't log in."""
        if self._trustee.user_id:
            return self._trustee.user_id
        try:
            info = await self._tokens.get(TokenRequest(self._trustee))
        except NoToken as error:
            log.error("the trustee can't log in", extra={"fields": {"why": str(error)}})
            raise AuthorizationFailure() from error
        if info.user_id is None:
            raise AssertionError("Keystone gave a token without a user")
        return info.user_id

    async def _create(self, context: RequestContext, request_id: str | None) -> RequestContext:
        trustee_id = await self.trustee_id()
        credentials = credentials_of(context)
        session = await self._services.session(credentials)
        trustor_id = _known(session, "user_id") or context.user_id
        roles, shown = self._roles(context, session)
        call = HttpCall(
            "POST",
            "identity",
            _TRUSTS,
            trust_request(
                trustor_user_id=trustor_id,
                trustee_user_id=trustee_id,
                project_id=_known(session, "project_id") or context.project_id,
                roles=roles,
                allow_redelegation=self._allow_redelegation,
            ),
        )
        try:
            answer = await self._services.send(credentials, call, request_id=request_id)
        except ServiceError as error:
            if error.not_found:
                raise MissingCredentialError(required=f"roles {shown}") from error
            if error.status in (401, 403):
                raise AuthorizationFailure(_refusal(session, error.message)) from error
            raise
        return with_trust(context, answer.body["trust"]["id"], trustor_id or "")

    def _roles(
        self, context: RequestContext, session: Session
    ) -> tuple[list[dict[str, str]], dict[str, list[str]]]:
        """The roles of the request, and as Heat's error text shows them."""
        if self._delegated_roles:
            names = list(self._delegated_roles)
        elif session.info is not None and session.info.role_ids:
            ids = list(session.info.role_ids)
            return [{"id": role} for role in ids], {"role_ids": ids}
        else:
            names = list(context.roles)
        return [{"name": role} for role in names], {"role_names": names}


def trust_request(
    *,
    trustor_user_id: str | None,
    trustee_user_id: str,
    project_id: str | None,
    roles: Sequence[dict[str, str]],
    allow_redelegation: bool = False,
) -> dict[str, Any]:
    """The body of POST /v3/OS-TRUST/trusts for a trust with impersonation and without an end."""
    return {
        "trust": {
            "trustor_user_id": trustor_user_id,
            "trustee_user_id": trustee_user_id,
            "project_id": project_id,
            "impersonation": True,
            "allow_redelegation": allow_redelegation,
            "roles": list(roles),
        }
    }


def _refusal(session: Session, message: str) -> str:
    """Why there is no trust for the session's token, and what its user can do about it."""
    body = session.info.body if session.info is not None else {}
    if "application_credential" in body or "application_credential" in body.get("methods", ()):
        return (
            "A stack needs a trust, and Keystone makes none for a restricted application "
            "credential. Use an application credential made with --unrestricted, or a password."
        )
    if "OS-TRUST:trust" in body:
        return (
            "A stack needs a trust, and Keystone makes none out of a token that comes from a trust "
            f"itself ({message.rstrip('.')}). Use a password."
        )
    return f"A stack needs a trust, and Keystone makes none for this token: {message}"


def _known(session: Session, name: str) -> str | None:
    value = getattr(session.info, name) if session.info is not None else None
    return value if isinstance(value, str) else None
