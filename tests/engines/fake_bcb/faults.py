"""Faults of banks that integrators report."""

import json

from tests.engines.fake_http import JSON_TYPE, Fault, Json

PROXY_PAGE = b"<html><body><h1>Service Temporarily Unavailable</h1></body></html>"
SOAP_FAULT = (
    b"<soap:Envelope><soap:Body><soap:Fault><faultcode>soap:Server</faultcode></soap:Fault></soap:Body></soap:Envelope>"
)
TYPES = "https://pix.bcb.gov.br/api/v2/error/"


def problem_body(kind: str, status: int, detail: str = "", **more: object) -> Json:
    return {"type": TYPES + kind, "title": kind, "status": status, "detail": detail, **more}


def problem(kind: str = "CobOperacaoInvalida", status: int = 400, *, status_as_text: bool = False) -> Fault:
    body = problem_body(kind, status, "Não foi possível.")
    return Fault(status, json.dumps(body | ({"status": str(status)} if status_as_text else {})).encode(), JSON_TYPE)


def conflict() -> Fault:
    """Efí's answer to a txid that exists."""
    return Fault(409, b'{"nome": "txid_duplicado", "mensagem": "txid informado ja foi utilizado"}', JSON_TYPE)


def html(status: int = 503, *, done: bool = False) -> Fault:
    return Fault(status, PROXY_PAGE, {"content-type": "text/html"}, done)


def soap(*, done: bool = False) -> Fault:
    return Fault(500, SOAP_FAULT, {"content-type": "text/xml"}, done)


def empty(status: int = 200, *, done: bool = True) -> Fault:
    return Fault(status, done=done)


def throttled(retry_after: int | None = None) -> Fault:
    return Fault(429, b"", {} if retry_after is None else {"retry-after": str(retry_after)})


def dropped(*, done: bool = True) -> Fault:
    return Fault(0, done=done)


def late(seconds: float) -> Fault:
    """The request is executed, and its own answer comes later."""
    return Fault(late=True, seconds=seconds)


def slow(seconds: float = 30.0, *, done: bool = True) -> Fault:
    return Fault(0, seconds=seconds, done=done)
