"""Heat's own api-paste.ini, and what operators make of it."""

from pathlib import Path

import pytest

from heat_app.config import ConfigurationProblem, PasteSettings, Settings
from heat_app.web.pipeline import Pipeline, read_pipeline

# As Heat 27.0.1 ships it (facts/routes.json has its pipelines).
SHIPPED = """\
[composite:heat-api]
use = egg:Paste#urlmap
/: api
/healthcheck: healthcheck

[composite:heat-api-cfn]
use = egg:Paste#urlmap
/: api-cfn
/healthcheck: healthcheck

[composite:api]
paste.composite_factory = heat.api:pipeline_factory
default = {api[default]}
standalone = {api[standalone]}
custombackend = {api[custombackend]}
noauth = {api[noauth]}

[composite:api-cfn]
paste.composite_factory = heat.api:pipeline_factory
default = {cfn[default]}
standalone = {cfn[standalone]}

[app:apiv1app]
paste.app_factory = heat.common.wsgi:app_factory
heat.app_factory = heat.api.openstack.v1:API
[app:apicfnv1app]
paste.app_factory = heat.common.wsgi:app_factory
heat.app_factory = heat.api.cfn.v1:API
[app:healthcheck]
paste.app_factory = oslo_middleware:Healthcheck.app_factory
[filter:versionnegotiation]
paste.filter_factory = heat.common.wsgi:filter_factory
heat.filter_factory = heat.api.openstack:version_negotiation_filter
[filter:cors]
paste.filter_factory = oslo_middleware.cors:filter_factory
oslo_config_project = heat
[filter:faultwrap]
paste.filter_factory = heat.common.wsgi:filter_factory
heat.filter_factory = heat.api.openstack:faultwrap_filter
[filter:cfnversionnegotiation]
paste.filter_factory = heat.common.wsgi:filter_factory
heat.filter_factory = heat.api.cfn:version_negotiation_filter
[filter:context]
paste.filter_factory = heat.common.context:ContextMiddleware_filter_factory
[filter:ec2authtoken]
paste.filter_factory = heat.api.aws.ec2token:EC2Token_filter_factory
[filter:http_proxy_to_wsgi]
paste.filter_factory = oslo_middleware:HTTPProxyToWSGI.factory
[filter:authurl]
paste.filter_factory = heat.common.auth_url:filter_factory
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
[filter:authpassword]
paste.filter_factory = heat.common.auth_password:filter_factory
[filter:custombackendauth]
paste.filter_factory = heat.common.custom_backend_auth:filter_factory
[filter:noauth]
paste.filter_factory = heat.common.noauth:filter_factory
[filter:request_id]
paste.filter_factory = oslo_middleware.request_id:RequestId.factory
[filter:osprofiler]
paste.filter_factory = osprofiler.web:WsgiMiddleware.factory
"""
API = {
    "default": "cors request_id faultwrap http_proxy_to_wsgi versionnegotiation authurl authtoken "
    "context osprofiler apiv1app",
    "standalone": "cors request_id faultwrap http_proxy_to_wsgi versionnegotiation authurl "
    "authpassword context apiv1app",
    "custombackend": "cors request_id context faultwrap versionnegotiation custombackendauth "
    "apiv1app",
    "noauth": "cors request_id faultwrap noauth context http_proxy_to_wsgi versionnegotiation "
    "apiv1app",
}
CFN = {
    "default": "cors request_id http_proxy_to_wsgi cfnversionnegotiation ec2authtoken authtoken "
    "context osprofiler apicfnv1app",
    "standalone": "cors request_id http_proxy_to_wsgi cfnversionnegotiation ec2authtoken context "
    "apicfnv1app",
}


def _settings(folder: Path, text: str, *, flavor: str | None = None) -> Settings:
    (folder / "api-paste.ini").write_text(text)
    return Settings(
        paste_deploy=PasteSettings(flavor=flavor), config_files=(str(folder / "heat.conf"),)
    )


def _shipped(
    folder: Path, default: str = API["default"], more: str = "", **options: str
) -> Settings:
    text = SHIPPED.format(api=API | {"default": default}, cfn=CFN) + more
    return _settings(folder, text, **options)


def test_the_pipelines_are_those_that_heat_ships(shared: Path) -> None:
    import json

    recorded = json.loads((shared / "facts" / "routes.json").read_text())["pipelines"]
    assert recorded["api"] == API
    assert recorded["api-cfn"] == CFN


@pytest.mark.parametrize("program", ["heat-api", "heat-api-cfn"])
def test_what_heat_ships_is_the_default(tmp_path: Path, program: str) -> None:
    pipeline = read_pipeline(_shipped(tmp_path), program)
    assert pipeline == Pipeline(source=tmp_path / "api-paste.ini")


def test_ec2_credentials_alone_will_do_for_the_cfn_api(tmp_path: Path) -> None:
    assert read_pipeline(_shipped(tmp_path, flavor="standalone"), "heat-api-cfn").ignored == ()


@pytest.mark.parametrize(
    ("flavor", "said"),
    [
        ("standalone", "no filter authpassword .* users come with tokens"),
        ("custombackend", "no filter custombackendauth"),
        ("noauth", "no filter noauth .* every request needs a token"),
        ("other", r"api has no pipeline for \[paste_deploy\] flavor = other"),
    ],
)
def test_flavors_that_heat_trio_has_not(tmp_path: Path, flavor: str, said: str) -> None:
    with pytest.raises(ConfigurationProblem, match=said):
        read_pipeline(_shipped(tmp_path, flavor=flavor))


def test_stages_can_be_left_out(tmp_path: Path) -> None:
    short = "faultwrap versionnegotiation authtoken context apiv1app"
    pipeline = read_pipeline(_shipped(tmp_path, short))
    assert (pipeline.cors, pipeline.proxy_headers) == (False, False)
    assert pipeline.healthcheck_paths == ("/healthcheck",)
    (sentence,) = pipeline.ignored
    assert sentence.endswith("heat-trio's API always does what the filter request id does")


def test_an_older_file_with_pipelines_by_name(tmp_path: Path) -> None:
    filters = SHIPPED.format(api=API, cfn=CFN).partition("[app:apiv1app]")
    text = (
        "[pipeline:heat-api]\npipeline = healthcheck request_id faultwrap versionnegotiation "
        "authurl authtoken context apiv1app\n"
        "[pipeline:heat-api-cors]\npipeline = cors sizelimit request_id faultwrap "
        "versionnegotiation authtoken context apiv1app\n"
        "[filter:sizelimit]\nuse = egg:oslo.middleware#sizelimit\nmax_request_body_size = 7\n"
        f"{''.join(filters[1:])}".replace("[app:healthcheck]", "[filter:healthcheck]").replace(
            "oslo_middleware:Healthcheck.app_factory",
            "oslo_middleware:Healthcheck.factory\npath = /alive\nbackends = disable_by_file",
        )
    ).replace("paste.app_factory = oslo", "paste.filter_factory = oslo")
    plain = read_pipeline(_settings(tmp_path, text))
    assert plain.cors is False
    assert plain.healthcheck_paths == ("/alive",)
    (sentence,) = plain.ignored
    assert "backends in [filter:healthcheck] has no effect" in sentence
    flavored = read_pipeline(_settings(tmp_path, text, flavor="cors"))
    assert flavored.cors is True
    assert flavored.healthcheck_paths == ()
    assert [
        "max_request_body_size" in one or "sizelimit has no effect" in one
        for one in flavored.ignored
    ] == [True, True]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "[filter:extra]\npaste.filter_factory = mine.corp:filter_factory\n",
            r"does not know the filter extra \(mine\.corp:filter_factory\)",
        ),
        ("[filter:extra]\n", "which names no factory"),
        (
            "[filter:extra]\npaste.filter_factory = keystonemiddleware.audit:filter_factory\n"
            "audit_map_file = /etc/heat/map.conf\n",
            "no filter extra .* audit records",
        ),
        ("[filter:extra]\nuse = egg:oslo.middleware#basic_auth\n", "no filter extra"),
        ("[filter:extra]\nuse = egg:somebody#else\n", "does not know the filter extra"),
        ("", "has no filter 'extra'"),
    ],
)
def test_a_filter_that_is_not_there_stops_the_start(tmp_path: Path, more: str, said: str) -> None:
    settings = _shipped(tmp_path, API["default"].replace("authtoken", "authtoken extra"), more)
    with pytest.raises(ConfigurationProblem, match=said) as raised:
        read_pipeline(settings)
    assert str(tmp_path / "api-paste.ini") in str(raised.value)


def test_a_pipeline_that_authenticates_nobody(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationProblem, match="authenticates nobody"):
        read_pipeline(_shipped(tmp_path, API["default"].replace("authtoken ", "")))


def test_options_of_filters_are_named(tmp_path: Path) -> None:
    text = SHIPPED.format(api=API, cfn=CFN).replace(
        "[filter:authtoken]\n", "[filter:authtoken]\ndelay_auth_decision = true\n"
    )
    (sentence,) = read_pipeline(_settings(tmp_path, text)).ignored
    assert "delay_auth_decision in [filter:authtoken] has no effect" in sentence


def test_another_app_beside_the_api(tmp_path: Path) -> None:
    text = SHIPPED.format(api=API, cfn=CFN).replace("/: api\n", "/: api\n/v2: api\n")
    with pytest.raises(ConfigurationProblem, match=r"heat-api has apiv1app at /v2"):
        read_pipeline(_settings(tmp_path, text))


def test_without_a_file_it_is_heats_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heat_app.web.pipeline._find", lambda name, files: None)
    assert read_pipeline(Settings()) == Pipeline()
    assert read_pipeline(Settings(paste_deploy=PasteSettings(flavor="default"))) == Pipeline()
    with pytest.raises(ConfigurationProblem, match="flavor = standalone needs a file"):
        read_pipeline(Settings(paste_deploy=PasteSettings(flavor="standalone")))
    with pytest.raises(ConfigurationProblem, match=r"there is no /etc/other\.ini"):
        read_pipeline(Settings(paste_deploy=PasteSettings(api_paste_config="/etc/other.ini")))


def test_a_file_named_by_its_whole_path(tmp_path: Path) -> None:
    _shipped(tmp_path)
    path = str(tmp_path / "api-paste.ini")
    settings = Settings(paste_deploy=PasteSettings(api_paste_config=path))
    assert read_pipeline(settings).source == Path(path)


def test_what_has_no_effect_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Pipeline(ignored=("one", "two")).announce()
    assert caplog.messages == ["one", "two"]
