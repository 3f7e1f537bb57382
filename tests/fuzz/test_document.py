"""Whether the document promises what the API does: what fits it is taken, and what doesn't is refused.

As `schemathesis run --checks all` judges (positive_data_acceptance, negative_data_rejection). `REFUSED` and `ACCEPTED`
name all exceptions, each with the reason why the document can't tell.
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
from tests.fuzz.generators import at_random, request_of

SCHEMA = schemathesis.openapi.from_path(COMMITTED)
SCHEMA.config.generation.update(with_security_parameters=False)
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]
FEW, MANY = 2, 12
A_SHARE = 3
"""One operation of so many is judged where there is little time."""
ENDS_THE_SESSION = {"PUT /auth/password", "POST /auth/sessions/end-others", "DELETE /auth/sessions/{id}"}

REFUSED = {
    r"^after: use page ou after|^include: envie também": "query parameters can't depend on one another",
    r"^after: cursor inválido": "a cursor is opaque",
    r"^id: informe id": "of several query parameters one is needed",
    r"envie ao menos um": "which of the fields changes is open",
    r"data futura|no futuro|já passou|passado|depois de|depois da|antes de|dias atrás|últimos \d+ dias|fora do intervalo|no máximo 366 dias": "dates are judged by the clock and by others",
    r"29 de fevereiro|informe uma data( e hora|, como)": "a pattern doesn't know leap years",
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
    "pattern": "texts are trimmed before they are judged",
    "maxLength": "texts are trimmed before they are judged",
    "oneOf": "of both id and txid the id wins; an amount beside a product is ignored",
}


async def test_what_fits_is_taken_and_what_does_not_is_refused(
    unlimited: Services, budget: Budget, part: tuple[int, int]
) -> None:
    wrong, known = [], dict[str, str]()
    number, parts = part
    async with Api.of(Gateway(unlimited.settings, unlimited)) as api:
        merchant = await api.register_merchant()
        caller = Caller("the merchant", {"authorization": f"Bearer {merchant.token}"})
        for operation in OPERATIONS[number :: parts if budget.thorough else parts * A_SHARE]:
            start = zlib.crc32(f"{budget.seed} {operation.label}".encode())
            for mode in GenerationMode:
                for case in at_random(operation, mode, budget.of(FEW, MANY), start=start):
                    if operation.label in ENDS_THE_SESSION or is_about_headers(case):
                        continue
                    use_known_ids(case, known)
                    request = request_of(case, caller, Random(0))
                    request["headers"].pop("x-store", None)
                    answer = await api.client.request(**request)
                    learn(operation.path, answer, known)
                    # Of an optional body the generator may find nothing that doesn't fit: it sends what fits instead.
                    fits = case.meta.generation.mode is GenerationMode.POSITIVE
                    fault = refusal(answer) if fits else acceptance(case, answer)
                    if fault:
                        wrong.append(f"{operation.label}: {fault}\n   {case.as_curl_command()[:600]}")
    assert not wrong, "\n".join(wrong)


def is_about_headers(case: Any) -> bool:
    """Whether what is wrong with it is a header alone: the store, which is left out, or the key of a repetition."""
    wrong = {where for where, component in case.meta.components.items() if component.mode.is_negative}
    return wrong == {ParameterLocation.HEADER}


def use_known_ids(case: Any, known: dict[str, str]) -> None:
    """Ids that exist, in the place of well-formed ones that don't: else nothing is found, and nothing judged."""
    for name, value in (case.path_parameters or {}).items():
        place = name if name in {"txid", "slug"} else case.operation.path.partition(f"/{{{name}}}")[0]
        if place in known and isinstance(value, str) and re.fullmatch(r"[0-9a-f-]{36}", value, re.IGNORECASE):
            case.path_parameters[name] = known[place]


def learn(path: str, answer: httpx.Response, known: dict[str, str]) -> None:
    """Remember the ids of what was answered."""
    data = answer.json().get("data") if answer.status_code < 300 and "json" in answer.headers["content-type"] else None
    if isinstance(data, dict):
        for place, name in ((path, "id"), ("txid", "txid"), ("slug", "slug")):
            if isinstance(data.get(name), str):
                known.setdefault(place, data[name])


def refusal(answer: httpx.Response) -> str | None:
    """What was refused although it fits the document, for no reason that is named."""
    if answer.status_code not in {400, 413, 415, 422, 500}:
        return None
    error = answer.json()["error"]
    if error.get("codigo"):
        return None  # A rule of business, which the document tells by its code.
    reasons = [f"{each['campo']}: {each['mensagem']}" for each in error.get("campos", [])] or [error["message"]]
    left = [reason for reason in reasons if not any(re.search(pattern, reason) for pattern in REFUSED)]
    return f"fits and was answered {answer.status_code} {left}" if left else None


def acceptance(case: Any, answer: httpx.Response) -> str | None:
    """What was taken although it doesn't fit the document, for no reason that is named."""
    violated = str(getattr(case.meta.phase.data, "description", ""))
    if answer.status_code >= 300 or any(f"`{keyword}`" in violated for keyword in ACCEPTED):
        return None
    return f"doesn't fit and was answered {answer.status_code}: {violated}"
