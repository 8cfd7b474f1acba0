"""The router's own rules."""

from heat_app.web.routing import Body, Found, Group, Refused, Route, Router, compile_path


def _found(outcome: object) -> tuple[str, dict[str, str]]:
    assert isinstance(outcome, Found)
    return outcome.route.name, outcome.variables


ROUTER = Router(
    (
        Group(
            "/{p}",
            (
                Route("list", ("GET",), "/things", "t:list"),
                Route("make", ("POST",), "/things", "t:make", Body.REQUIRED),
                Route("special", ("GET",), "/things/special", "t:special"),
                Route("any", ("GET", "DELETE"), "/things/{name}", "t:any"),
            ),
        ),
        Group("/{p}", (Route("open", ("GET",), "/open", "o:open"),), closed=False),
    )
)


def test_the_first_route_that_takes_the_method_wins() -> None:
    assert _found(ROUTER.match("GET", "/x/things/special")) == ("special", {"p": "x"})
    assert _found(ROUTER.match("DELETE", "/x/things/special")) == (
        "any",
        {"p": "x", "name": "special"},
    )


def test_methods_that_a_path_lacks() -> None:
    assert ROUTER.match("PUT", "/x/things") == Refused("GET,POST", is_options=False)
    assert ROUTER.match("OPTIONS", "/x/things") == Refused("GET,POST", is_options=True)
    assert ROUTER.match("OPTIONS", "/x/things/special") == Refused("GET", is_options=True)
    assert ROUTER.match("TRACE", "/x/things") is None
    assert ROUTER.match("get", "/x/things") is None


def test_an_open_group_refuses_nothing() -> None:
    assert _found(ROUTER.match("GET", "/x/open")) == ("open", {"p": "x"})
    assert ROUTER.match("POST", "/x/open") is None


def test_paths_match_whole_and_exactly() -> None:
    for path in ("/x/things/", "/x/thingsy", "/x/Things", "/x/things/a/b", "//things"):
        assert ROUTER.match("GET", path) is None


def test_a_name_with_a_pattern() -> None:
    pattern = compile_path("/a.b/{rest:arn:.*}")
    match = pattern.match("/a.b/arn:x/y")
    assert match is not None
    assert match["rest"] == "arn:x/y"
    assert pattern.match("/aXb/arn:x") is None
