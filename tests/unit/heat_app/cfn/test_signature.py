"""Signed or not, in the ways of AWS's signature versions 2 and 4 (rules/l-signals.md#5)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from werkzeug.datastructures import Headers

from heat_app.cfn.errors import IncompleteSignature, MissingAuthenticationToken
from heat_app.cfn.signature import check_is_signed
from heat_app.web.request import ApiRequest

V4 = "AWS4-HMAC-SHA256 Credential={}/20260501/r/s/aws4_request, SignedHeaders=host, Signature={}"


def check(query: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
    request = ApiRequest(
        method="GET", scheme="http", host="h", path="/", query=query, headers=Headers(headers or {})
    )
    check_is_signed(request, request.parameters())


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        (b"AWSAccessKeyId=k&Signature=s", {}),
        (b"X-Amz-Credential=k%2F20260501%2Fr%2Fs%2Faws4_request&X-Amz-Signature=s", {}),
        (b"", {"Authorization": V4.format("k", "s")}),
        (b"", {"X-Auth-User": "demo"}),
    ],
)
def test_signed(query: bytes, headers: Mapping[str, str]) -> None:
    check(query, headers)


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        (b"", {}),
        (b"Signature=", {}),
        (b"AWSAccessKeyId=k", {}),
        (b"", {"Authorization": "Basic eA=="}),
        (b"", {"Authorization": V4.format("k", "")}),
    ],
)
def test_not_signed(query: bytes, headers: Mapping[str, str]) -> None:
    with pytest.raises(IncompleteSignature):
        check(query, headers)


@pytest.mark.parametrize(
    ("query", "headers"),
    [(b"Signature=s", {}), (b"", {"Authorization": V4.format("", "s")})],
)
def test_signed_by_nobody_knows_whom(query: bytes, headers: Mapping[str, str]) -> None:
    with pytest.raises(MissingAuthenticationToken):
        check(query, headers)
