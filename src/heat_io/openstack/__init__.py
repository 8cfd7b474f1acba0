"""HTTP to OpenStack: catalog, tokens, retries, trusts, and the check of users' tokens.

One HttpClient, one Tokens and one ServiceClient a process; `OpenStack.open` puts them together.
Keystone is spoken to in version 3 only. What also needs the database is in the module
stack_credentials, which processes without a database (the APIs) don't import.
"""

from heat_io.openstack.assembly import OpenStack, OpenStackSettings
from heat_io.openstack.authenticator import Authenticator, AuthenticatorSettings
from heat_io.openstack.catalog import Catalog, EmptyCatalog, Endpoint, EndpointNotFound
from heat_io.openstack.client import AnswerLost, HttpClient, NoAnswer, NotSent, TlsOptions
from heat_io.openstack.credentials import (
    Credentials,
    DomainScope,
    Password,
    PasswordLogin,
    ProjectScope,
    ServiceUser,
    StoredCredentials,
    TokenRequest,
    Trust,
    TrustScope,
    UserToken,
    credentials_of,
    with_trust,
)
from heat_io.openstack.identity import Denied, Identity, Refused, Unavailable
from heat_io.openstack.polling import Pace, PollPolicy
from heat_io.openstack.refusal import Refusal
from heat_io.openstack.services import ServiceClient, ServiceSettings, Session
from heat_io.openstack.stack_domain import StackDomain, StackDomainSettings
from heat_io.openstack.token_info import TokenInfo
from heat_io.openstack.tokens import NoToken, Tokens
from heat_io.openstack.trusts import Trusts
from heat_io.openstack.validator import TokenValidator, ValidatorSettings

__all__ = [
    "AnswerLost",
    "Authenticator",
    "AuthenticatorSettings",
    "Catalog",
    "Credentials",
    "Denied",
    "DomainScope",
    "EmptyCatalog",
    "Endpoint",
    "EndpointNotFound",
    "HttpClient",
    "Identity",
    "NoAnswer",
    "NoToken",
    "NotSent",
    "OpenStack",
    "OpenStackSettings",
    "Pace",
    "Password",
    "PasswordLogin",
    "PollPolicy",
    "ProjectScope",
    "Refusal",
    "Refused",
    "ServiceClient",
    "ServiceSettings",
    "ServiceUser",
    "Session",
    "StackDomain",
    "StackDomainSettings",
    "StoredCredentials",
    "TlsOptions",
    "TokenInfo",
    "TokenRequest",
    "TokenValidator",
    "Tokens",
    "Trust",
    "TrustScope",
    "Trusts",
    "Unavailable",
    "UserToken",
    "ValidatorSettings",
    "credentials_of",
    "with_trust",
]
