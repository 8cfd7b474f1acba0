"""What an operator's api-paste.ini asks for, in terms of what heat-trio's API has.

The stages of the API are fixed code in a fixed order (heat_app.web.app); a pipeline can only
leave some of them out. A filter that guards or records something and is not there stops the start:
to leave it out in silence would open what an operator has closed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from heat_app.config import ConfigurationProblem
from heat_app.web.paste_file import PasteFile, PasteProblem, Stage

if TYPE_CHECKING:
    from heat_app.config import Settings

__all__ = ["Pipeline", "read_pipeline"]

log = logging.getLogger(__name__)

DEFAULT_FILE: Final = "api-paste.ini"
HEALTHCHECK: Final = "/healthcheck"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Which stages an API has. The rest it has always.

    `healthcheck_paths` are where the health check answers; `ignored` has a sentence for each thing
    in the file that has no effect.
    """

    cors: bool = True
    proxy_headers: bool = True
    healthcheck_paths: tuple[str, ...] = (HEALTHCHECK,)
    source: Path | None = None
    ignored: tuple[str, ...] = ()

    def announce(self) -> None:
        """Log a warning for each thing without effect; call it once, when logging is configured."""
        for sentence in self.ignored:
            log.warning(sentence)


def read_pipeline(settings: Settings, program: str = "heat-api") -> Pipeline:
    """The pipeline of `program` (heat-api or heat-api-cfn) for [paste_deploy].

    Without a file, unless one is asked for by name, it is Heat's own default pipeline. Raises
    ConfigurationProblem for a file or a filter that can't be used.
    """
    asked = settings.paste_deploy.api_paste_config
    flavor = settings.paste_deploy.flavor
    path = _find(asked, settings.config_files)
    if path is None:
        if asked != DEFAULT_FILE:
            raise ConfigurationProblem(f"[paste_deploy] api_paste_config: there is no {asked}")
        if flavor not in (None, "", "default"):
            raise ConfigurationProblem(
                f"[paste_deploy] flavor = {flavor} needs a file {DEFAULT_FILE}, which is not there"
            )
        return Pipeline()
    try:
        file = PasteFile.read(path)
        flavored = f"{program}-{flavor}"
        return _pipeline(file, flavored if file.has(flavored) else program, flavor)
    except PasteProblem as problem:
        raise ConfigurationProblem(str(problem)) from problem


def _find(name: str, config_files: Iterable[str]) -> Path | None:
    """Where oslo.config looks for a file that heat.conf names."""
    if Path(name).is_absolute():
        return Path(name) if Path(name).is_file() else None
    folders = [Path(file).absolute().parent for file in reversed(tuple(config_files))]
    folders += [Path("~/.heat").expanduser(), Path("~").expanduser()]
    folders += [Path("/etc/heat"), Path("/etc")]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _pipeline(file: PasteFile, program: str, flavor: str | None) -> Pipeline:
    api: str | None = None
    healthchecks: list[str] = []
    ignored: list[str] = []
    for path, app in file.paths(program).items():
        stages = file.stages(app, flavor)
        if _known(stages[-1]) == "healthcheck":
            healthchecks.append(path)
            ignored += _options_of(file, "app", stages[-1])
        elif path == "/" and _known(stages[-1]) == "api":
            api = app
        else:
            raise ConfigurationProblem(
                f"{file.path}: {program} has {stages[-1].name} at {path}. heat-trio has the API at "
                "/ and the health check: remove the line, or serve it by another process."
            )
    if api is None:
        raise ConfigurationProblem(f"{file.path}: {program} has no API at /")
    *filters, _ = file.stages(api, flavor)
    known = {_effect(file, one): one for one in filters}
    if known.keys().isdisjoint(_AUTHENTICATION["cfn" in program]):
        raise ConfigurationProblem(
            f"{file.path}: the pipeline of {program} authenticates nobody. Put the filter "
            "authtoken into it."
        )
    if "healthcheck" in known:
        healthchecks.append(known["healthcheck"].options.get("path", HEALTHCHECK))
    for one in filters:
        ignored += _options_of(file, "filter", one)
        if _known(one) in _WITHOUT_EFFECT:
            ignored.append(
                f"{file.path}: the filter {one.name} has no effect: {_WITHOUT_EFFECT[_known(one)]}"
            )
    ignored += [
        f"{file.path}: heat-trio's API always does what the filter {name} does"
        for name in _ALWAYS
        if name not in known
    ]
    return Pipeline(
        cors="cors" in known,
        proxy_headers="proxy headers" in known,
        healthcheck_paths=tuple(healthchecks),
        source=file.path,
        ignored=tuple(ignored),
    )


def _effect(file: PasteFile, one: Stage) -> str:
    """What a filter does; ConfigurationProblem for one that heat-trio has not."""
    known = _known(one)
    if known in _REFUSED:
        raise ConfigurationProblem(
            f"{file.path}: heat-trio has no filter {one.name} ({one.factory}): {_REFUSED[known]}"
        )
    if not known:
        raise ConfigurationProblem(
            f"{file.path}: heat-trio does not know the filter {one.name} "
            f"({one.factory or 'which names no factory'}). Remove it from the pipeline, or do what "
            "it does in front of the API."
        )
    return known


def _options_of(file: PasteFile, kind: str, one: Stage) -> Iterator[str]:
    for name in one.options:
        if not name.startswith("oslo_config_") and (_known(one), name) not in _OPTIONS_READ:
            yield (
                f"{file.path}: {name} in [{kind}:{one.name}] has no effect: options are read from "
                "heat.conf"
            )


def _known(one: Stage) -> str:
    """The name of what the stage does, "" for something unknown.

    Factories have several spellings: `oslo_middleware:CORS.factory`,
    `oslo_middleware.cors:filter_factory`, `egg:oslo.middleware#cors`.
    """
    egg, found, name = one.factory.partition("#")
    if found:
        distribution = egg.removeprefix("egg:").lower().replace("-", ".").replace("_", ".")
        return _OF_EGGS.get((distribution, name), "")
    return _OF_FACTORIES.get(one.factory, "")


_OPTIONS_READ: Final = {("healthcheck", "path")}

_AUTHENTICATION: Final[Mapping[bool, frozenset[str]]] = {
    False: frozenset({"authentication"}),
    True: frozenset({"authentication", "EC2 credentials"}),
}
"""for the native API and for the CloudFormation API: one of these is enough"""

_ALWAYS: Final = ("request id", "version", "context")

_WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "size limit": "bodies are limited by [DEFAULT] max_json_body_size.",
    "correlation id": "the request id is what log records carry.",
    "debug": "requests are not printed, they hold tokens.",
}

_REFUSED: Final[Mapping[str, str]] = {
    "password": "users come with tokens. Use the flavor default with the filter authtoken.",
    "no authentication": "every request needs a token. Use the flavor default.",
    "custom backend": "users come with tokens of Keystone. Use the flavor default.",
    "basic": "users come with tokens. Use the filter authtoken.",
    "audit": "it would leave out audit records that somebody relies on. Audit in front of the API, "
    "or remove it from the pipeline.",
    "tracing": "requests are not traced. Remove it from the pipeline.",
}

_OF_FACTORIES: Final[Mapping[str, str]] = {
    "heat.api.openstack.v1:API": "api",
    "heat.api.cfn.v1:API": "api",
    "oslo_middleware:Healthcheck.app_factory": "healthcheck",
    "oslo_middleware:Healthcheck.factory": "healthcheck",
    "oslo_middleware.healthcheck:Healthcheck.app_factory": "healthcheck",
    "oslo_middleware.healthcheck:Healthcheck.factory": "healthcheck",
    "oslo_middleware:CORS.factory": "cors",
    "oslo_middleware.cors:CORS.factory": "cors",
    "oslo_middleware.cors:filter_factory": "cors",
    "oslo_middleware:RequestId.factory": "request id",
    "oslo_middleware.request_id:RequestId.factory": "request id",
    "oslo_middleware:HTTPProxyToWSGI.factory": "proxy headers",
    "oslo_middleware.http_proxy_to_wsgi:HTTPProxyToWSGI.factory": "proxy headers",
    "oslo_middleware:CatchErrors.factory": "errors",
    "oslo_middleware.catch_errors:CatchErrors.factory": "errors",
    "oslo_middleware:CorrelationId.factory": "correlation id",
    "oslo_middleware.correlation_id:CorrelationId.factory": "correlation id",
    "oslo_middleware:Debug.factory": "debug",
    "oslo_middleware.debug:Debug.factory": "debug",
    "oslo_middleware:RequestBodySizeLimiter.factory": "size limit",
    "oslo_middleware.sizelimit:RequestBodySizeLimiter.factory": "size limit",
    "oslo_middleware:BasicAuthMiddleware.factory": "basic",
    "oslo_middleware.basic_auth:BasicAuthMiddleware.factory": "basic",
    "oslo_middleware:TracingMiddleware.factory": "tracing",
    "heat.api.openstack:faultwrap_filter": "faults",
    "heat.api.openstack:version_negotiation_filter": "version",
    "heat.api.cfn:version_negotiation_filter": "version",
    "heat.common.context:ContextMiddleware_filter_factory": "context",
    "heat.common.auth_url:filter_factory": "address of Keystone",
    "heat.api.aws.ec2token:EC2Token_filter_factory": "EC2 credentials",
    "keystonemiddleware.auth_token:filter_factory": "authentication",
    "heat.common.auth_password:filter_factory": "password",
    "heat.common.noauth:filter_factory": "no authentication",
    "heat.common.custom_backend_auth:filter_factory": "custom backend",
    "keystonemiddleware.audit:filter_factory": "audit",
    "osprofiler.web:WsgiMiddleware.factory": "profiler",
}

_OF_EGGS: Final[Mapping[tuple[str, str], str]] = {
    ("oslo.middleware", "healthcheck"): "healthcheck",
    ("oslo.middleware", "cors"): "cors",
    ("oslo.middleware", "request_id"): "request id",
    ("oslo.middleware", "http_proxy_to_wsgi"): "proxy headers",
    ("oslo.middleware", "catch_errors"): "errors",
    ("oslo.middleware", "correlation_id"): "correlation id",
    ("oslo.middleware", "debug"): "debug",
    ("oslo.middleware", "sizelimit"): "size limit",
    ("oslo.middleware", "basic_auth"): "basic",
    ("oslo.middleware", "tracing"): "tracing",
    ("keystonemiddleware", "auth_token"): "authentication",
    ("keystonemiddleware", "audit"): "audit",
}
