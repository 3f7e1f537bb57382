"""Faults of Asaas."""

import json

from tests.engines.fake_http import Fault

PROXY_PAGE = b"<html><head><title>502 Bad Gateway</title></head><body>cloudfront</body></html>"


def fault(status: int, body: bytes = b"", *, done: bool = False, **headers: str) -> Fault:
    return Fault(status, body, {name.replace("_", "-"): value for name, value in headers.items()}, done)


def refusal(code: str = "invalid_action", description: str = "Não foi possível.", status: int = 400) -> Fault:
    return Fault(status, json.dumps({"errors": [{"code": code, "description": description}]}).encode())


def html(status: int = 502, *, done: bool = False) -> Fault:
    return Fault(status, PROXY_PAGE, {"content-type": "text/html"}, done)


def empty(status: int = 404) -> Fault:
    return Fault(status)


def throttled(reset: int | None = None) -> Fault:
    return Fault(429, b"", {} if reset is None else {"RateLimit-Reset": str(reset)})


def slow(seconds: float = 30.0, *, done: bool = True) -> Fault:
    return Fault(0, seconds=seconds, done=done)


def dropped(*, done: bool = True) -> Fault:
    return Fault(0, done=done)


def oversized() -> Fault:
    return Fault(200, b'{"x": "' + b"x" * (9 * 1024 * 1024) + b'"}')
