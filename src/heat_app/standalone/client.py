"""The few requests that the demonstration makes, as any client would make them."""

from __future__ import annotations

from typing import Any, Self

import httpx2

__all__ = ["HeatClient", "RequestFailed"]


class RequestFailed(Exception):
    """A server said no; the text is its reason."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class HeatClient:
    """Heat's native API with a token of one user; `endpoint` ends with the project's id."""

    def __init__(self, http: httpx2.AsyncClient, endpoint: str, token: str) -> None:
        self._http = http
        self._endpoint = endpoint.rstrip("/")
        self._headers = {"X-Auth-Token": token}

    @classmethod
    async def login(
        cls, http: httpx2.AsyncClient, auth_url: str, user: str, password: str, project: str
    ) -> Self:
        """A client for what the catalog has as orchestration. RequestFailed when refused."""
        default = {"id": "default"}
        answer = await http.post(
            f"{auth_url}/auth/tokens",
            json={
                "auth": {
                    "identity": {
                        "methods": ["password"],
                        "password": {
                            "user": {"name": user, "domain": default, "password": password}
                        },
                    },
                    "scope": {"project": {"name": project, "domain": default}},
                }
            },
        )
        if answer.status_code != 201:
            raise RequestFailed(answer.status_code, f"Keystone refused {user}: {answer.text}")
        for service in answer.json()["token"]["catalog"]:
            if service["type"] == "orchestration":
                for endpoint in service["endpoints"]:
                    if endpoint["interface"] == "public":
                        return cls(http, endpoint["url"], answer.headers["X-Subject-Token"])
        raise RequestFailed(404, "the catalog has no orchestration service")

    async def get(self, path: str) -> Any:
        """The JSON at a path below the endpoint, through redirects."""
        return await self._send("GET", path)

    async def post(self, path: str, body: Any) -> Any:
        """The JSON answer to a POST of JSON."""
        return await self._send("POST", path, json=body)

    async def delete(self, path: str) -> None:
        """Delete what is at the path."""
        await self._send("DELETE", path)

    async def _send(self, method: str, path: str, **arguments: Any) -> Any:
        answer = await self._http.request(
            method,
            f"{self._endpoint}{path}",
            headers=self._headers,
            # A 302 answers a stack's name with the address of the stack, for every method.
            follow_redirects=method == "GET",
            **arguments,
        )
        if answer.status_code >= 400:
            raise RequestFailed(answer.status_code, _reason(answer))
        return answer.json() if answer.content else None


def _reason(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.status_code} {answer.text}"
