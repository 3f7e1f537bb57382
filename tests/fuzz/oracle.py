"""Checks responses against the OpenAPI document, the table of errors and the standard headers.

An undocumented member of a response is a fault, too.
"""

import json
import re
from functools import cache
from typing import Any

import httpx
import jsonschema_rs

from gateway.errors import GatewayError, MethodNotAllowed
from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.documentation import COMMITTED
from gateway.rest_compat.paths import Paths
from gateway.rest_compat.routes import ENDPOINTS
from tests.docs.pages import ROOT, Page

DOCUMENT: dict[str, Any] = json.loads(COMMITTED.read_text())
_ROW = re.compile(r"^\| (\d{3}) \| (?:`([A-Z_]+)`|–) \|", re.MULTILINE)
ERRORS = frozenset((int(status), codigo or None) for status, codigo in _ROW.findall(Page(ROOT / "docs/errors.md").text))
PATHS: Paths[Endpoint] = Paths([(endpoint.method, endpoint.path, endpoint) for endpoint in ENDPOINTS])
ALWAYS = {"x-service-version": "2.0.0", "x-content-type-options": "nosniff", "x-frame-options": "DENY"}


def faults(answer: httpx.Response) -> list[str]:
    """The faults of a response of the REST transport."""
    found = [f"{name}: {answer.headers.get(name)}" for name, value in ALWAYS.items() if answer.headers[name] != value]
    if len(answer.headers["x-request-id"]) < 8:
        found.append("no request id")
    method = answer.request.method
    try:
        endpoint, _ = PATHS.find(method, answer.request.url.path)
    except GatewayError as error:
        # Unknown path or method.
        found += [] if answer.status_code in {error.status, 413} else [f"{answer.status_code}, not {error.status}"]
        if isinstance(error, MethodNotAllowed) and answer.headers.get("allow") != ", ".join(error.allowed):
            found.append(f"allow: {answer.headers.get('allow')}")
        return found + _faults_of_error(answer)
    if endpoint.internal or method == "HEAD":
        return found + ([f"{answer.status_code}"] if answer.status_code == 500 else [])
    return found + _faults_of_document(endpoint, answer) + _faults_of_error(answer)


def _faults_of_document(endpoint: Endpoint, answer: httpx.Response) -> list[str]:
    documented = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["responses"]
    status = str(answer.status_code)
    if status == "500" or status not in documented:
        return [f"{status} isn't among {sorted(documented)}"]
    content = _resolved(documented[status]).get("content", {})
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind not in content:
        return [f"{kind} isn't among {sorted(content)}"]
    if kind != "application/json":
        return []
    validator = _validator(endpoint.path, endpoint.method.lower(), status)
    return [f"{status} {error.instance_path}: {error.message}"[:400] for error in validator.iter_errors(answer.json())]


def _faults_of_error(answer: httpx.Response) -> list[str]:
    """Errors must be in the table and in one of the two forms."""
    if answer.status_code < 400 or answer.request.method == "HEAD":
        return []
    error = answer.json().get("error")
    if isinstance(error, str):
        return [] if answer.status_code == 401 else ["a bare text"]
    kind = (answer.status_code, error.get("codigo"))
    return [] if error.get("message") and kind in ERRORS and kind != (500, None) else [f"an error of no table: {kind}"]


def _resolved(node: dict[str, Any]) -> dict[str, Any]:
    return DOCUMENT["components"]["responses"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node


@cache
def _validator(path: str, method: str, status: str) -> jsonschema_rs.Validator:
    answer = _resolved(DOCUMENT["paths"][path][method]["responses"][status])
    schema = _strict(answer["content"]["application/json"]["schema"])
    whole = schema | {"components": _COMPONENTS, "$schema": "https://json-schema.org/draft/2020-12/schema"}
    return jsonschema_rs.validator_for(whole, validate_formats=True)


def _strict(node: Any) -> Any:
    """The schema without additional properties."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    strict = {name: value if name.startswith("example") else _strict(value) for name, value in node.items()}
    if node.get("type") == "object" and isinstance(node.get("properties"), dict):
        strict.setdefault("additionalProperties", False)
    return strict


_COMPONENTS = {"schemas": _strict(DOCUMENT["components"]["schemas"])}
