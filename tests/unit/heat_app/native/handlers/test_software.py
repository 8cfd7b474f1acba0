"""Software configs and deployments."""

from typing import Any

ALL: dict[str, Any] = {"not_yet": frozenset()}
CONFIGS = "/v1/PID/software_configs"
DEPLOYMENTS = "/v1/PID/software_deployments"


async def test_configs(make_api: Any) -> None:
    api = make_api(
        {
            "list_software_configs": [],
            "create_software_config": {"id": "c"},
            "show_software_config": {"id": "c"},
            "delete_software_config": None,
        },
        **ALL,
    )
    got = await api.request("GET", f"{CONFIGS}?limit=2&marker=m&other=1")
    assert got.json == {"software_configs": []}
    got = await api.request("POST", CONFIGS, body={"name": "n", "unknown": 1})
    assert got.json == {"software_config": {"id": "c"}}
    assert (await api.request("GET", f"{CONFIGS}/c")).json == {"software_config": {"id": "c"}}
    assert (await api.request("DELETE", f"{CONFIGS}/c")).status == 204
    assert api.engine.calls[:2] == [
        ("list_software_configs", {"limit": 2, "marker": "m"}),
        (
            "create_software_config",
            {
                "group": None,
                "name": "n",
                "config": None,
                "inputs": [],
                "outputs": [],
                "options": {},
            },
        ),
    ]


async def test_configs_of_everybody_need_their_own_rule(make_api: Any) -> None:
    got = await make_api({}, **ALL).request("GET", f"{CONFIGS}?global_tenant=true")
    assert got.message == "You are not authorized to use software_configs:global_index."


async def test_an_error_in_a_result(make_api: Any) -> None:
    api = make_api({"delete_software_config": {"Error": "in use"}}, **ALL)
    got = await api.request("DELETE", f"{CONFIGS}/c")
    assert (got.status, got.message) == (400, "in use")


async def test_deployments(make_api: Any) -> None:
    api = make_api(
        {
            "list_software_deployments": [],
            "metadata_software_deployments": [],
            "create_software_deployment": {"id": "d"},
            "show_software_deployment": {"id": "d"},
            "update_software_deployment": {"id": "d"},
            "delete_software_deployment": None,
        },
        **ALL,
    )
    got = await api.request("GET", f"{DEPLOYMENTS}?server_id=sv")
    assert got.json == {"software_deployments": []}
    assert (await api.request("GET", f"{DEPLOYMENTS}/metadata/sv")).json == {"metadata": []}
    body = {"server_id": "sv", "config_id": "c", "status": "X"}
    shown = {"software_deployment": {"id": "d"}}
    assert (await api.request("POST", DEPLOYMENTS, body=body)).json == shown
    assert (await api.request("GET", f"{DEPLOYMENTS}/d")).json == shown
    update = {"status": "Y", "action": None, "server_id": "ignored"}
    assert (await api.request("PUT", f"{DEPLOYMENTS}/d", body=update)).json == shown
    assert (await api.request("DELETE", f"{DEPLOYMENTS}/d")).status == 204
    calls = dict(api.engine.calls)
    assert calls["list_software_deployments"] == {"server_id": "sv"}
    assert calls["create_software_deployment"]["input_values"] == {}
    assert calls["create_software_deployment"]["config_id"] == "c"
    assert calls["update_software_deployment"]["status"] == "Y"
    assert calls["update_software_deployment"]["config_id"] is None
