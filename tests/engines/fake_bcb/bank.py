"""The state of the fake bank and a handler for each route. Amounts are centavos inside and texts in JSON."""

import itertools
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from tests.engines.fake_bcb import schemas
from tests.engines.fake_bcb.faults import problem_body
from tests.engines.fake_http import Call, Json

ISPB = "12345678"
SCOPES = "cob.read cob.write pix.read pix.write webhook.read webhook.write"
ACTIVE, REMOVED = "ATIVA", "REMOVIDA_PELO_USUARIO_RECEBEDOR"


class Refusal(Exception):
    def __init__(self, kind: str, status: int, detail: str = "", **violation: str) -> None:
        super().__init__(kind)
        self.status = status
        self.body = problem_body(kind, status, detail, **({"violacoes": [violation]} if violation else {}))


@dataclass
class Manners:
    """How this bank deviates from the standard."""

    code_field: str | None = "pixCopiaECola"
    """The member with the BR Code; None: the charge has a location only."""
    damages_code: bool = False
    """Whether the BR Code's CRC has lost a digit."""
    token_auth: str = "basic"
    """`basic`, `body`, `json` or `certificate`: how the token endpoint authenticates clients."""
    created_status: int = 201
    stays_active: bool = False
    """Whether a paid charge stays `ATIVA`."""
    local_time: bool = False
    """Whether times are Brasília's, marked `Z`."""
    scopes: str = SCOPES
    token_seconds: int = 600
    returns_at_once: bool = False
    """Whether a return that is ordered is `DEVOLVIDO` in the answer; otherwise `finish_return` ends it."""
    page_size: int = 1000
    """The most items on a page, also for a client that requests more."""
    required_query: str = ""
    """A query parameter that every call needs."""
    required_header: str = ""


@dataclass
class Cob:
    txid: str
    body: Json
    location: str
    created_at: datetime
    number: int
    status: str = ACTIVE
    revision: int = 0
    pix: list[Json] = field(default_factory=list)


class Bank:
    """One receiver with one Pix key."""

    def __init__(self, manners: Manners | None = None) -> None:
        self.manners = manners or Manners()
        self.client_id, self.client_secret = f"client-{secrets.token_hex(8)}", secrets.token_urlsafe(24)
        self.key = "7d9f0335-8dcc-4054-9bf9-0dbd61d36906"
        self.cobs: dict[str, Cob] = {}
        self.pix: dict[str, Json] = {}
        self.webhooks: dict[str, Json] = {}
        self.tokens: dict[str, str] = {}
        """Valid tokens and their scopes."""
        self._numbers = itertools.count(1)

    # Actions of tests

    def pay(self, txid: str, *, amount: int | None = None, **changes: Any) -> Json:
        """Pay a charge; return the Pix."""
        cob = self.cobs[txid]
        pix = {
            "endToEndId": f"E{ISPB}{datetime.now(UTC):%Y%m%d%H%M}{secrets.token_hex(6)[:11]}",
            "txid": txid,
            "valor": cob.body["valor"]["original"] if amount is None else reais(amount),
            "chave": self.key,
            "horario": self.now(),
            **changes,
        }
        cob.pix.append(pix)
        self.pix[pix["endToEndId"]] = pix
        if not self.manners.stays_active:
            cob.status = "CONCLUIDA"
        return pix

    def refund(
        self,
        end_to_end_id: str,
        amount: int,
        *,
        refund_id: str | None = None,
        nature: str = "ORIGINAL",
        status: str = "DEVOLVIDO",
        **changes: Any,
    ) -> Json:
        """Return a part of a Pix; with a nature `MED_…`, by the special mechanism. Returns the Pix."""
        pix = self.pix[end_to_end_id]
        refund = {
            "id": refund_id or secrets.token_hex(8),
            "rtrId": f"D{ISPB}{datetime.now(UTC):%Y%m%d%H%M}{secrets.token_hex(6)[:11]}",
            "valor": reais(amount),
            "natureza": nature,
            "horario": {"solicitacao": self.now(), **({"liquidacao": self.now()} if status == "DEVOLVIDO" else {})},
            "status": status,
            **changes,
        }
        known = pix.setdefault("devolucoes", [])
        known[:] = [*(each for each in known if each["id"] != refund["id"]), refund]
        return pix

    def finish_return(self, end_to_end_id: str, refund_id: str, *, reason: str = "") -> Json:
        """End a return that is in progress; with a reason, it is not made. Returns the Pix."""
        pix = self.pix[end_to_end_id]
        [refund] = [each for each in pix["devolucoes"] if each["id"] == refund_id]
        assert refund["status"] == "EM_PROCESSAMENTO"
        if reason:
            refund |= {"status": "NAO_REALIZADO", "motivo": reason}
        else:
            refund["status"] = "DEVOLVIDO"
            refund["horario"]["liquidacao"] = self.now()
        return pix

    def now(self) -> str:
        at = datetime.now(UTC) - (timedelta(hours=3) if self.manners.local_time else timedelta())
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    # Routes

    def create_cob(self, call: Call) -> Json:
        cob = self.cobs.get(call.id)
        if cob is not None and cob.status != ACTIVE:
            raise Refusal("CobOperacaoInvalida", 400, "A cobrança não está ATIVA.", propriedade="cob.status")
        body = call.body or {}
        self._check(body)
        if cob is None:
            location = f"pix.example.com/qr/v2/{secrets.token_hex(16)}"
            cob = Cob(call.id, body, location, datetime.now(UTC), next(self._numbers))
            self.cobs[call.id] = cob
        elif cob.body != body:
            cob.body, cob.revision = body, cob.revision + 1
        return self._shown(cob)

    def revise_cob(self, call: Call) -> Json:
        cob, body = self._cob(call), call.body or {}
        if cob.status != ACTIVE:
            raise Refusal("CobOperacaoInvalida", 400, "A cobrança não está ATIVA.", propriedade="cob.status")
        if "status" in body and len(body) > 1:
            raise Refusal("CobOperacaoInvalida", 400, "A remoção não aceita outras mudanças.", propriedade="cob.status")
        cob.status = body.get("status", cob.status)
        self._check(cob.body | {name: value for name, value in body.items() if name != "status"})
        cob.body = cob.body | {name: value for name, value in body.items() if name != "status"}
        cob.revision += 1
        return self._shown(cob)

    def read_cob(self, call: Call) -> Json:
        cob = self._cob(call)
        return self._shown(cob) | ({"pix": cob.pix} if cob.pix else {})

    def list_cobs(self, call: Call) -> Json:
        found = [cob for cob in self.cobs.values() if within(cob.created_at.isoformat(), call)]
        shown = [self._shown(cob) | ({"pix": cob.pix} if cob.pix else {}) for cob in found]
        parameters, page = paged(call, shown)
        return {"parametros": parameters, "cobs": page}

    def read_pix(self, call: Call) -> Json:
        if call.id not in self.pix:
            raise Refusal("PixNaoEncontrado", 404)
        return self.pix[call.id]

    def list_pix(self, call: Call) -> Json:
        found = [pix for pix in self.pix.values() if within(pix["horario"], call)]
        for name, wanted in (("txIdPresente", "txid"), ("devolucaoPresente", "devolucoes")):
            if name in call.query:
                found = [pix for pix in found if (wanted in pix) is (call.query[name] == "true")]
        if "txid" in call.query:
            found = [pix for pix in found if pix.get("txid") == call.query["txid"]]
        parameters, page = paged(call, found, self.manners.page_size)
        return {"parametros": parameters, "pix": page}

    def create_refund(self, call: Call) -> Json:
        pix, body = self.read_pix(call), call.body or {}
        amount = centavos(body["valor"])
        known = pix.get("devolucoes", [])
        if any(each["id"] == call.ids["refund"] for each in known):
            raise Refusal("PixDevolucaoInvalida", 400, "O id já foi utilizado.", propriedade="devolucao.id")
        returned = sum(centavos(each["valor"]) for each in known if each["status"] != "NAO_REALIZADO")
        if amount == 0 or returned + amount > centavos(pix["valor"]):
            raise Refusal("PixDevolucaoInvalida", 400, "O valor excede o do Pix.", propriedade="devolucao.valor")
        if datetime.fromisoformat(pix["horario"]) < datetime.now(UTC) - timedelta(days=90):
            raise Refusal("PixDevolucaoInvalida", 400, "O prazo de 90 dias terminou.", propriedade="devolucao")
        status = "DEVOLVIDO" if self.manners.returns_at_once else "EM_PROCESSAMENTO"
        described = {"descricao": body["descricao"]} if "descricao" in body else {}
        nature = body.get("natureza", "ORIGINAL")
        self.refund(call.id, amount, refund_id=call.ids["refund"], nature=nature, status=status, **described)
        refund: Json = pix["devolucoes"][-1]
        return refund

    def read_refund(self, call: Call) -> Json:
        for refund in self.read_pix(call).get("devolucoes", []):
            if refund["id"] == call.ids["refund"]:
                found: Json = refund
                return found
        raise Refusal("PixDevolucaoNaoEncontrada", 404)

    def put_webhook(self, call: Call) -> None:
        self._require_key(call.id, "WebhookOperacaoInvalida")
        url = (call.body or {})["webhookUrl"]
        if urlsplit(url).scheme != "https":
            raise Refusal("WebhookOperacaoInvalida", 400, "Use https.", propriedade="webhook.webhookUrl")
        self.webhooks[call.id] = {"webhookUrl": url, "chave": call.id, "criacao": self.now()}

    def read_webhook(self, call: Call) -> Json:
        if call.id not in self.webhooks:
            raise Refusal("WebhookNaoEncontrado", 404)
        return self.webhooks[call.id]

    def delete_webhook(self, call: Call) -> None:
        self.read_webhook(call)
        del self.webhooks[call.id]

    def pay_in_sandbox(self, call: Call) -> Json:
        """Inter's payment of a test charge."""
        if call.id not in self.cobs:
            raise Refusal("CobNaoEncontrado", 404)
        return {"e2e": self.pay(call.id)["endToEndId"]}

    def _cob(self, call: Call) -> Cob:
        if call.id not in self.cobs:
            raise Refusal("CobNaoEncontrado", 404)
        return self.cobs[call.id]

    def _check(self, body: Json) -> None:
        self._require_key(body["chave"], "CobOperacaoInvalida")
        if centavos(body["valor"]["original"]) == 0:
            raise Refusal("CobOperacaoInvalida", 400, "O valor é zero.", propriedade="cob.valor.original")

    def _require_key(self, key: str, kind: str) -> None:
        if key != self.key:
            raise Refusal(kind, 400, "A chave não é do recebedor.", propriedade="chave")

    def _shown(self, cob: Cob) -> Json:
        created = cob.created_at - (timedelta(hours=3) if self.manners.local_time else timedelta())
        criacao = created.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        shown = {
            **cob.body,
            "calendario": {"criacao": criacao, "expiracao": 86400, **cob.body["calendario"]},
            "txid": cob.txid,
            "revisao": cob.revision,
            "loc": {"id": cob.number, "location": cob.location, "tipoCob": "cob", "criacao": criacao},
            "location": cob.location,
            "status": cob.status,
        }
        if self.manners.code_field:
            code = br_code(cob.location)
            shown[self.manners.code_field] = code[:-1] if self.manners.damages_code else code
        return shown


@dataclass(frozen=True)
class Route:
    """`scope` may use it; `request` and `answer` are their schemas."""

    method: str
    path: str
    handler: Callable[[Bank, Call], Json | None]
    scope: str
    request: Json | None = None
    answer: Json | None = None
    status: int = 200

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", self.path))


ROUTES = [
    Route("PUT", "/cob/{id}", Bank.create_cob, "cob.write", schemas.COB_BODY, schemas.COB_CREATED, 201),
    Route("PATCH", "/cob/{id}", Bank.revise_cob, "cob.write", schemas.COB_REVISION, schemas.COB_CREATED),
    Route("GET", "/cob/{id}", Bank.read_cob, "cob.read", None, schemas.COB),
    Route("GET", "/cob", Bank.list_cobs, "cob.read", None, schemas.COB_LIST),
    Route("POST", "/cob/pagar/{id}", Bank.pay_in_sandbox, "pix.write"),
    Route("GET", "/pix/{id}", Bank.read_pix, "pix.read", None, schemas.PIX),
    Route("GET", "/pix", Bank.list_pix, "pix.read", None, schemas.PIX_LIST),
    Route(
        "PUT",
        "/pix/{id}/devolucao/{refund}",
        Bank.create_refund,
        "pix.write",
        schemas.REFUND_BODY,
        schemas.REFUND,
        201,
    ),
    Route("GET", "/pix/{id}/devolucao/{refund}", Bank.read_refund, "pix.read", None, schemas.REFUND),
    Route("PUT", "/webhook/{id}", Bank.put_webhook, "webhook.write", schemas.WEBHOOK_BODY),
    Route("GET", "/webhook/{id}", Bank.read_webhook, "webhook.read", None, schemas.WEBHOOK),
    Route("DELETE", "/webhook/{id}", Bank.delete_webhook, "webhook.write", status=204),
]


def reais(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02d}"


def centavos(text: str) -> int:
    return int(text.replace(".", ""))


def within(time: str, call: Call) -> bool:
    at, begin, end = (datetime.fromisoformat(text) for text in (time, call.query["inicio"], call.query["fim"]))
    return begin <= at <= end


def paged(call: Call, found: list[Json], most: int = 1000) -> tuple[Json, list[Json]]:
    size = int(call.query.get("paginacao.itensPorPagina", "100"))
    number = int(call.query.get("paginacao.paginaAtual", "0"))
    if not 1 <= size <= 1000 or number < 0 or call.query["fim"] < call.query["inicio"]:
        raise Refusal("CobConsultaInvalida" if call.route == "/cob" else "PixConsultaInvalida", 400)
    size = min(size, most)
    page = {
        "paginaAtual": number,
        "itensPorPagina": size,
        "quantidadeDePaginas": max(1, -(-len(found) // size)),
        "quantidadeTotalDeItens": len(found),
    }
    parameters = {"inicio": call.query["inicio"], "fim": call.query["fim"], "paginacao": page}
    return parameters, found[number * size : (number + 1) * size]


def crc(text: str) -> str:
    value = 0xFFFF
    for byte in text.encode():
        value ^= byte << 8
        for _ in range(8):
            value = ((value << 1) ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return f"{value:04X}"


def br_code(location: str) -> str:
    template = f"0014br.gov.bcb.pix25{len(location):02}{location}"
    fields = f"000201010212{26}{len(template):02}{template}5204000053039865802BR5909RECEBEDOR6008BRASILIA62070503***"
    return fields + "6304" + crc(fields + "6304")
