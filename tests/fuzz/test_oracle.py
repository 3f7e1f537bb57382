"""The oracles find faulty responses."""

from typing import Any

import httpx
import pytest

from tests.fuzz import oracle, test_graphql


def answer(
    status: int, body: Any, path: str = "/stores", kind: str = "application/json", **headers: str
) -> httpx.Response:
    all_headers = oracle.ALWAYS | {"content-type": kind, "x-request-id": "pedido-0001"} | headers
    request = httpx.Request("GET", f"http://gateway.test{path}")
    return httpx.Response(status, json=body, headers=all_headers, request=request)


def test_documented_responses_pass() -> None:
    store = {"id": "8d3c6f7e-1b0a-4f6e-9b55-6a1c3f0c9f10", "name": "Loja", "role": "viewer"}
    assert oracle.faults(answer(200, {"data": []})) == []
    assert oracle.faults(answer(401, {"error": "Token inválido ou expirado"})) == []
    assert oracle.faults(answer(404, {"error": {"message": "Endereço não encontrado."}}, "/nothing")) == []
    assert oracle.faults(answer(200, {"data": [store]})) != [], "a documented member is missing"


@pytest.mark.parametrize(
    "wrong",
    [
        answer(500, {"error": {"message": "Erro inesperado.", "id": "x"}}),
        answer(422, {"error": {"message": "não"}}),
        answer(200, {"data": [], "debug": 1}),
        answer(200, {"data": [{"password_hash": "x"}]}),
        answer(200, {"data": {}}),
        answer(200, {"data": []}, kind="text/html"),
        answer(403, {"error": {"message": "não", "codigo": "NADA"}}),
        answer(403, {"error": "não"}),
        answer(403, {"error": {"message": ""}}),
        answer(200, {"data": []}, "/nothing"),
        answer(200, {"data": []}, **{"x-frame-options": "ALLOWALL"}),
    ],
    ids=lambda wrong: wrong.text[:40],
)
def test_faults_of_rest_are_found(wrong: httpx.Response) -> None:
    assert oracle.faults(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        answer(500, {"error": {"message": "x"}}),
        answer(200, {"data": None, "errors": [{"message": "x", "extensions": {"status": 500, "id": "y"}}]}),
        answer(200, {"data": None, "errors": [{"message": "x", "extensions": {"status": 409, "codigo": "NADA"}}]}),
        answer(200, {"data": None, "errors": [{"message": "", "extensions": {"status": 404}}]}),
        answer(200, {"errors": [{"message": "x", "extensions": {"status": 400}}]}),
        answer(400, {}),
    ],
    ids=lambda wrong: wrong.text[:40],
)
def test_faults_of_graphql_are_found(wrong: httpx.Response) -> None:
    assert test_graphql.faults(wrong)
