"""Cross-origin requests."""

from werkzeug.datastructures import Headers

from heat_app.config import CorsSettings
from heat_app.web.answers import Answer, json_answer, no_content
from heat_app.web.cors import apply_cors

HERE = CorsSettings(allowed_origin=("http://dash",))
NOBODY = CorsSettings()
ORIGIN = {"Origin": "http://dash"}
PREFLIGHT = {**ORIGIN, "Access-Control-Request-Method": "GET"}


def _applied(
    answer: Answer, method: str, headers: dict[str, str], settings: CorsSettings = HERE
) -> Answer:
    return apply_cors(answer, method, Headers(headers), settings)


def test_options_that_nobody_answers_get_an_empty_200() -> None:
    assert _applied(Answer(401, b"x", "text/plain"), "OPTIONS", {}, NOBODY) == Answer(200)
    allowed = no_content().with_header("Allow", "GET")
    assert _applied(allowed, "OPTIONS", {}, NOBODY) == allowed


def test_without_an_allowed_origin_nothing_is_added() -> None:
    answer = json_answer({})
    assert _applied(answer, "GET", ORIGIN, NOBODY) == answer
    assert _applied(answer, "GET", {"Origin": "http://evil"}) == answer
    assert _applied(answer, "GET", {}) == answer


def test_a_known_origin() -> None:
    headers = dict(_applied(json_answer({}), "GET", ORIGIN).headers)
    assert headers == {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": "http://dash",
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Expose-Headers": (
            "X-Auth-Token,X-Subject-Token,X-Service-Token,X-OpenStack-Request-ID"
        ),
    }


def test_preflight() -> None:
    wanted = {**PREFLIGHT, "Access-Control-Request-Headers": "x-auth-token, Accept"}
    answer = _applied(Answer(401), "OPTIONS", wanted)
    assert answer.status == 200
    assert dict(answer.headers) == {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": "http://dash",
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "3600",
        "Access-Control-Allow-Methods": "GET",
        "Access-Control-Allow-Headers": "x-auth-token,Accept",
    }


def test_preflight_for_what_is_not_permitted() -> None:
    for headers in (
        ORIGIN,
        {**PREFLIGHT, "Access-Control-Request-Method": "TRACE"},
        {**PREFLIGHT, "Access-Control-Request-Headers": "x-evil"},
    ):
        assert _applied(Answer(401), "OPTIONS", headers).headers == ()


def test_an_answer_that_says_so_itself_is_left_alone() -> None:
    own = json_answer({}).with_header("Access-Control-Allow-Origin", "http://x")
    assert _applied(own, "GET", ORIGIN) == own


def test_settings_may_allow_less() -> None:
    bare = CorsSettings(
        allowed_origin=("*",), allow_credentials=False, expose_headers=(), max_age=0
    )
    assert dict(_applied(json_answer({}), "GET", ORIGIN, bare).headers) == {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": "http://dash",
    }
    assert dict(_applied(Answer(401), "OPTIONS", PREFLIGHT, bare).headers) == {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": "http://dash",
        "Access-Control-Allow-Methods": "GET",
    }
