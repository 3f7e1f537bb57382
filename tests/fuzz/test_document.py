"""The API accepts requests that fit the OpenAPI document and refuses others.

These are Schemathesis's checks positive_data_acceptance and negative_data_rejection. `REFUSED` and `ACCEPTED` list the
exceptions, with the reason why the document can't express them.
"""

import re
import zlib
from random import Random
from typing import Any

import httpx
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode

from gateway.app import Gateway
from gateway.resolvers.core.context import Services
from gateway.rest_compat.documentation import COMMITTED
from tests.api_client import Api
from tests.fuzz.actors import Caller
from tests.fuzz.conftest import Budget
from tests.fuzz.generators import random_cases, request_of

SCHEMA = schemathesis.openapi.from_path(COMMITTED)
SCHEMA.config.generation.update(with_security_parameters=False)
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]
FEW, MANY = 2, 12
OPERATIONS_PER_TEST = 3
"""Without `--fuzz`, one of this many operations is tested."""
ENDS_THE_SESSION = {"PUT /auth/password", "POST /auth/sessions/end-others", "DELETE /auth/sessions/{id}"}

REFUSED = {
    r"^after: use page ou after|^include: envie também": "query parameters can't depend on one another",
    r"^after: cursor inválido": "a cursor is opaque",
    r"^id: informe id": "of several query parameters one is needed",
    r"envie ao menos um": "which of the fields changes is open",
    r"data futura|no futuro|já passou|passado|depois de|depois da|antes de|dias atrás|últimos \d+ dias|fora do intervalo|no máximo 366 dias|mais de 366 passos": "dates are compared with the clock and other dates",
    r"29 de fevereiro|informe uma data( e hora|, como)": "a pattern doesn't know leap years",
    r"fuso horário da IANA": "the list of time zones grows",
    r"^password: campo obrigatório": "needed of who has one",
    r"senha|^(new_)?password:": "common passwords and one's own address are refused",
    r"^extra: ": "answers of the panel: any keys, of bounded size",
    r"DDD e número|telefone": "area codes",
    r"^url: |^(success|cancel|image)_url: |http:// ou https://": "addresses have to be reachable from the internet",
    r"e-mail válido": "addresses that no mail server takes",
    r"envie o (contrato|documento|comprovante)|aceite os termos": "what a request for approval lacks",
    r"^file: |^code: |^challenge: |^token: ": "what was sent, mailed or shown before",
    r"cupom|^coupon|^customer_cpf: a assinatura": "the state of what is named",
    r"caracteres de controle": "letters that turn the text around them, and separators, which few engines can name",
    r"^O formulário não pode ser lido": "a form has a bounded number of fields, and no line break in their names",
    r"por cento": "a percentage's bound depends on the type",
    r"aparece mais de uma vez": "a key of the query that was sent twice",
}
ACCEPTED = {
    "additionalProperties": "members that aren't known are ignored",
    "format": "an optional text may be empty, and documents may be formatted",
    "pattern": "texts are trimmed before validation",
    "maxLength": "texts are trimmed before validation",
    "oneOf": "of both id and txid the id wins; an amount together with a product is ignored",
}


async def test_valid_requests_are_accepted_and_invalid_ones_refused(
    unlimited: Services, budget: Budget, part: tuple[int, int]
) -> None:
    wrong, known = [], dict[str, str]()
    number, parts = part
    async with Api.of(Gateway(unlimited.settings, unlimited)) as api:
        merchant = await api.register_merchant()
        caller = Caller("the merchant", {"authorization": f"Bearer {merchant.token}"})
        for operation in OPERATIONS[number :: parts if budget.thorough else parts * OPERATIONS_PER_TEST]:
            start = zlib.crc32(f"{budget.seed} {operation.label}".encode())
            for mode in GenerationMode:
                for case in random_cases(operation, mode, budget.of(FEW, MANY), start=start):
                    if operation.label in ENDS_THE_SESSION or has_invalid_header_only(case):
                        continue
                    use_known_ids(case, known)
                    request = request_of(case, caller, Random(0))
                    request["headers"].pop("x-store", None)
                    answer = await api.client.request(**request)
                    collect_ids(operation.path, answer, known)
                    # Without an invalid form of an optional body, the generator sends a valid one.
                    fits = case.meta.generation.mode is GenerationMode.POSITIVE
                    fault = refusal(answer) if fits else acceptance(case, answer)
                    if fault:
                        wrong.append(f"{operation.label}: {fault}\n   {case.as_curl_command()[:600]}")
    assert not wrong, "\n".join(wrong)


def has_invalid_header_only(case: Any) -> bool:
    """Whether only a header is invalid: the store, which is removed, or the idempotency key."""
    wrong = {where for where, component in case.meta.components.items() if component.mode.is_negative}
    return wrong == {ParameterLocation.HEADER}


def use_known_ids(case: Any, known: dict[str, str]) -> None:
    """Replace well-formed ids by existing ones, as otherwise nothing would be found."""
    for name, value in (case.path_parameters or {}).items():
        key = name if name in {"txid", "slug"} else case.operation.path.partition(f"/{{{name}}}")[0]
        if key in known and isinstance(value, str) and re.fullmatch(r"[0-9a-f-]{36}", value, re.IGNORECASE):
            case.path_parameters[name] = known[key]


def collect_ids(path: str, answer: httpx.Response, known: dict[str, str]) -> None:
    """Store the ids in a response."""
    data = answer.json().get("data") if answer.status_code < 300 and "json" in answer.headers["content-type"] else None
    if isinstance(data, dict):
        for key, name in ((path, "id"), ("txid", "txid"), ("slug", "slug")):
            if isinstance(data.get(name), str):
                known.setdefault(key, data[name])


def refusal(answer: httpx.Response) -> str | None:
    """The refusal of a valid request, unless it is a listed exception."""
    if answer.status_code not in {400, 413, 415, 422, 500}:
        return None
    error = answer.json()["error"]
    if error.get("codigo"):
        return None  # A business rule, documented by its code.
    reasons = [f"{each['campo']}: {each['mensagem']}" for each in error.get("campos", [])] or [error["message"]]
    left = [reason for reason in reasons if not any(re.search(pattern, reason) for pattern in REFUSED)]
    return f"fits and was answered {answer.status_code} {left}" if left else None


def acceptance(case: Any, answer: httpx.Response) -> str | None:
    """The acceptance of an invalid request, unless it is a listed exception."""
    violated = str(getattr(case.meta.phase.data, "description", ""))
    if answer.status_code >= 300 or any(f"`{keyword}`" in violated for keyword in ACCEPTED):
        return None
    return f"doesn't fit and was answered {answer.status_code}: {violated}"
