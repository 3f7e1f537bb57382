"""The state of the fake and a handler per route. Amounts are in reais, as at Asaas."""

import itertools
import json
import re
import secrets
import uuid
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.engines.fake_http import Call, Json

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
PIX_FEE = 1.99
MINIMUM = 5.0


class Refusal(Exception):
    def __init__(self, status: int, code: str = "", description: str = "") -> None:
        super().__init__(code)
        self.status = status
        self.body = json.dumps({"errors": [{"code": code, "description": description}]}).encode() if code else b""


@dataclass
class Holder:
    """An account: the main account or a merchant's."""

    key: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    wallet: str = field(default_factory=lambda: str(uuid.uuid4()))
    details: Json = field(default_factory=dict)
    balance: float = 0.0
    customers: dict[str, Json] = field(default_factory=dict)
    payments: dict[str, Json] = field(default_factory=dict)
    transfers: dict[str, Json] = field(default_factory=dict)
    webhooks: dict[str, Json] = field(default_factory=dict)
    pix_keys: list[Json] = field(default_factory=lambda: [{"id": str(uuid.uuid4()), "status": "ACTIVE", "type": "EVP"}])
    status: Json = field(default_factory=lambda: dict.fromkeys(TRACKS, "PENDING"))
    documents: Json = field(default_factory=lambda: {"rejectReasons": None, "data": []})


TRACKS = ("commercialInfo", "bankAccountInfo", "documentation", "general")


def crc(text: str) -> str:
    value = 0xFFFF
    for byte in text.encode():
        value ^= byte << 8
        for _ in range(8):
            value = ((value << 1) ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return f"{value:04X}"


def br_code(payment_id: str) -> str:
    """Return a BR Code in Asaas' format: dynamic, with a postal code, without an amount."""
    url = f"pix-h.asaas.com/pixqrcode/cobv/{payment_id}"
    template = f"0014br.gov.bcb.pix25{len(url):02}{url}"
    fields = (
        f"00020101021226{len(template):02}{template}5204000053039865802BR5905ASAAS6009Joinville61088922827162070503***"
    )
    return fields + "6304" + crc(fields + "6304")


class Bank:
    """All accounts. `environment` is `hmlg` (sandbox) or `prod`, as in the keys."""

    def __init__(self, environment: str = "hmlg") -> None:
        self.environment = environment
        self.main = Holder(f"$aact_{environment}_{secrets.token_hex(16)}")
        self.main.status = dict.fromkeys(TRACKS, "APPROVED")
        self.holders = {self.main.key: self.main}
        self.pix_transactions: dict[str, Json] = {}
        self.refunds_at_once = False
        """Whether a refund is `DONE` in the answer; otherwise `finish_refund` ends it."""
        self._numbers = itertools.count(1)

    # Actions of tests

    def pay(self, payment_id: str, *, value: float | None = None, end_to_end_id: str | None = None) -> Json:
        """Pay a payment; return the notification that Asaas sends."""
        holder = next(holder for holder in self.holders.values() if payment_id in holder.payments)
        payment = holder.payments[payment_id]
        transaction = {
            "id": str(uuid.uuid4()),
            "endToEndIdentifier": end_to_end_id or f"E00416968202611211635{secrets.token_hex(6)[:11]}",
            "effectiveDate": stamp(),
            "status": "DONE",
        }
        self.pix_transactions[transaction["id"]] = transaction
        self._receive(holder, payment, value if value is not None else payment["value"])
        payment["pixTransaction"] = transaction["id"]
        return self.notification("PAYMENT_RECEIVED", holder, payment=dict(payment))

    def finish_refund(self, payment_id: str, *, well: bool = True) -> Json:
        """End the refund of a payment that is pending; return the notification that Asaas sends."""
        holder = next(holder for holder in self.holders.values() if payment_id in holder.payments)
        payment = holder.payments[payment_id]
        [refund] = [each for each in payment["refunds"] if each["status"] == "PENDING"]
        if well:
            return self._complete_refund(holder, payment, refund)
        refund["status"] = "CANCELLED"
        payment["status"] = "RECEIVED"
        self._move(holder, payment, refund["value"], 1)
        return self.notification("PAYMENT_REFUND_DENIED", holder, payment=deepcopy(payment))

    def notification(self, event: str, holder: Holder | None = None, **about: Json) -> Json:
        holder = holder or self.main
        return {
            "id": f"evt_{secrets.token_hex(16)}&{next(self._numbers)}",
            "event": event,
            "dateCreated": stamp(),
            "account": {"id": holder.id, "ownerId": None if holder is self.main else self.main.id},
            **about,
        }

    def account(self, account_id: str) -> Holder:
        return next(holder for holder in self.holders.values() if holder.id == account_id)

    def all(self, kind: str) -> list[Json]:
        """Return the objects of a kind (`payments`, `customers`, …) of all accounts."""
        return [thing for holder in self.holders.values() for thing in getattr(holder, kind).values()]

    # Routes

    def create_customer(self, call: Call) -> Json:
        body = call.body or {}
        document = str(body.get("cpfCnpj", ""))
        if len(document) not in {11, 14} or len(set(document)) == 1:
            raise Refusal(400, "invalid_object", "O CPF/CNPJ informado é inválido.")
        customer = {"object": "customer", "id": f"cus_{next(self._numbers):012}", "deleted": False, **body}
        holder_of(call).customers[customer["id"]] = customer
        return customer

    def list_customers(self, call: Call) -> Json:
        return listing(call, holder_of(call).customers, "externalReference", "cpfCnpj")

    def create_payment(self, call: Call) -> Json:
        holder, body = holder_of(call), call.body or {}
        customer = holder.customers.get(body.get("customer", ""))
        if customer is None or customer["deleted"]:
            raise Refusal(400, "invalid_customer", "Customer inválido ou não informado.")
        if body["value"] < MINIMUM:
            raise Refusal(400, "invalid_action", "O valor da cobrança não pode ser menor que R$ 5,00.")
        if body["dueDate"] < today():
            raise Refusal(400, "invalid_dueDate", "Não é permitido data de vencimento inferior a hoje.")
        if any(share["walletId"] == holder.wallet for share in body.get("split", [])):
            raise Refusal(400, "invalid_action", "Não é permitido split para sua própria carteira.")
        payment = {
            "object": "payment",
            "id": f"pay_{secrets.token_hex(8)}",
            "dateCreated": today(),
            "status": "PENDING",
            "netValue": round(body["value"] - PIX_FEE, 2),
            "originalValue": None,
            "pixTransaction": None,
            "paymentDate": None,
            "refunds": None,
            "deleted": False,
            "invoiceUrl": f"https://sandbox.asaas.com/i/{secrets.token_hex(8)}",
            **body,
        }
        holder.payments[payment["id"]] = payment
        return payment

    def list_payments(self, call: Call) -> Json:
        return listing(call, holder_of(call).payments, "externalReference", "status")

    def read_payment(self, call: Call) -> Json:
        return self._payment(call)

    def delete_payment(self, call: Call) -> Json:
        payment = self._payment(call)
        if payment["status"] == "RECEIVED":
            raise Refusal(400, "invalid_action", "Só é possível remover cobranças pendentes ou vencidas.")
        payment["deleted"] = True
        return {"deleted": True, "id": payment["id"]}

    def qr_code(self, call: Call) -> Json:
        payment = self._payment(call)
        return {
            "success": True,
            "encodedImage": "iVBORw0KGgo=",
            "payload": br_code(payment["id"]),
            "expirationDate": f"{payment['dueDate']} 23:59:59",
        }

    def confirm(self, call: Call) -> Json:
        if self.environment != "hmlg":
            raise Refusal(404)
        payment = self._payment(call)
        self._receive(holder_of(call), payment, payment["value"])
        return payment

    def refund_payment(self, call: Call) -> Json:
        holder, payment, body = holder_of(call), self._payment(call), call.body or {}
        if payment["status"] != "RECEIVED":
            raise Refusal(400, "invalid_action", "Somente é possível estornar cobranças recebidas.")
        left = round(payment["value"] - refunded(payment), 2)
        value = body.get("value", left)
        if not 0 < value <= left:
            raise Refusal(400, "invalid_action", "O valor do estorno é maior que o valor da cobrança.")
        shares = sum(share["fixedValue"] for share in refunded_splits(payment, value))
        if round(value - shares, 2) > round(holder.balance, 2):
            raise Refusal(400, "invalid_action", "Não há saldo suficiente em sua conta para estornar a cobrança.")
        refund = {
            "dateCreated": stamp(),
            "status": "PENDING",
            "value": value,
            "description": body.get("description"),
            "endToEndIdentifier": None,
            "effectiveDate": None,
            "transactionReceiptUrl": None,
            "refundedSplits": [],
        }
        payment["refunds"] = [*(payment["refunds"] or []), refund]
        payment["status"] = "REFUND_IN_PROGRESS" if value == left else "RECEIVED"
        self._move(holder, payment, value, -1)
        if self.refunds_at_once:
            self._complete_refund(holder, payment, refund)
        return payment

    def list_refunds(self, call: Call) -> Json:
        refunds = self._payment(call)["refunds"] or []
        return listing(call, {str(number): refund for number, refund in enumerate(refunds)})

    def read_pix_transaction(self, call: Call) -> Json:
        return known(self.pix_transactions, call.id)

    def wallets(self, call: Call) -> Json:
        return {"object": "list", "data": [{"id": holder_of(call).wallet}]}

    def create_account(self, call: Call) -> Json:
        body = call.body or {}
        for name in ("name", "email", "cpfCnpj", "mobilePhone", "incomeValue", "address", "addressNumber"):
            if not body.get(name):
                raise Refusal(400, "invalid_object", f"O campo {name} deve ser informado.")
        if self.environment == "hmlg" and not all(
            character.isalpha() or character == " " for character in body["name"]
        ):
            raise Refusal(400, "invalid_object", "O nome deve conter apenas letras e espaços.")
        if any(holder.details.get("cpfCnpj") == body["cpfCnpj"] for holder in self.holders.values()):
            raise Refusal(400, "invalid_object", "O CNPJ informado já está em uso.")
        holder = Holder(f"$aact_{self.environment}_{secrets.token_hex(16)}", details=body)
        holder.documents["data"] = [document_group("APPROVED"), document_group("NOT_SENT")]
        holder.pix_keys = []
        for webhook in body.get("webhooks", []):
            require_token(webhook)
            holder.webhooks[str(uuid.uuid4())] = webhook
        self.holders[holder.key] = holder
        fields = {name: value for name, value in body.items() if name != "webhooks"}
        return {"object": "account", "id": holder.id, "walletId": holder.wallet, "apiKey": holder.key, **fields}

    def list_accounts(self, call: Call) -> Json:
        accounts = {
            holder.id: {"id": holder.id, **holder.details}
            for holder in self.holders.values()
            if holder is not self.main
        }
        return listing(call, accounts, "cpfCnpj", "email")

    def account_status(self, call: Call) -> Json:
        return {"id": holder_of(call).id, **holder_of(call).status}

    def account_documents(self, call: Call) -> Json:
        return holder_of(call).documents

    def fees(self, call: Call) -> Json:
        holder_of(call)
        return {"transfer": {"monthlyTransfersWithoutFee": 30, "pix": {"feeValue": 2.0}}}

    def create_transfer(self, call: Call) -> Json:
        holder, body = holder_of(call), call.body or {}
        if body["value"] > round(holder.balance, 2):
            raise Refusal(400, "invalid_action", "Saldo insuficiente.")
        holder.balance -= body["value"]
        transfer = {
            "object": "transfer",
            "id": str(uuid.uuid4()),
            "type": "PIX",
            "dateCreated": today(),
            "status": "PENDING",
            "netValue": body["value"],
            "transferFee": 0,
            "authorized": True,
            "failReason": None,
            "endToEndIdentifier": None,
            **body,
        }
        holder.transfers[transfer["id"]] = transfer
        return transfer

    def list_transfers(self, call: Call) -> Json:
        since = call.query.get("dateCreated[ge]", "")
        transfers = holder_of(call).transfers
        return listing(call, {key: item for key, item in transfers.items() if item["dateCreated"] >= since})

    def read_transfer(self, call: Call) -> Json:
        return known(holder_of(call).transfers, call.id)

    def cancel_transfer(self, call: Call) -> Json:
        holder = holder_of(call)
        transfer = known(holder.transfers, call.id)
        if transfer["status"] != "PENDING":
            raise Refusal(400, "invalid_action", "Esta transferência não pode ser cancelada.")
        holder.balance += transfer["value"]
        transfer["status"] = "CANCELLED"
        return transfer

    def create_webhook(self, call: Call) -> Json:
        body = call.body or {}
        require_token(body)
        webhook_id = str(uuid.uuid4())
        holder_of(call).webhooks[webhook_id] = body
        return public_webhook(webhook_id, body)

    def list_webhooks(self, call: Call) -> Json:
        webhooks = holder_of(call).webhooks
        return listing(call, {key: public_webhook(key, body) for key, body in webhooks.items()})

    def update_webhook(self, call: Call) -> Json:
        require_token(call.body or {})
        known(holder_of(call).webhooks, call.id).update(call.body or {})
        return public_webhook(call.id, holder_of(call).webhooks[call.id])

    def list_pix_keys(self, call: Call) -> Json:
        return listing(call, {key["id"]: key for key in holder_of(call).pix_keys}, "status")

    def create_pix_key(self, call: Call) -> Json:
        holder = holder_of(call)
        if call.body != {"type": "EVP"} or (holder is not self.main and holder.status["general"] != "APPROVED"):
            raise Refusal(400, "invalid_action", "Não é possível criar a chave.")
        key = {"id": str(uuid.uuid4()), "key": str(uuid.uuid4()), "type": "EVP", "status": "AWAITING_ACTIVATION"}
        holder.pix_keys.append(key)
        return key

    def _payment(self, call: Call) -> Json:
        return known(holder_of(call).payments, call.id)

    def _complete_refund(self, holder: Holder, payment: Json, refund: Json) -> Json:
        identifier = f"D00416968202611211635{secrets.token_hex(6)[:11]}"
        refund |= {"status": "DONE", "endToEndIdentifier": identifier, "effectiveDate": stamp()}
        whole = sum(each["value"] for each in payment["refunds"] if each["status"] == "DONE") >= payment["value"]
        payment["status"] = "REFUNDED" if whole else payment["status"]
        event = "PAYMENT_REFUNDED" if whole else "PAYMENT_PARTIALLY_REFUNDED"
        return self.notification(event, holder, payment=deepcopy(payment))

    def _move(self, holder: Holder, payment: Json, value: float, sign: int) -> None:
        """Take a refund out of the balances (-1), or give it back (1)."""
        shares = {share["walletId"]: share["fixedValue"] for share in refunded_splits(payment, value)}
        holder.balance += sign * (value - sum(shares.values()))
        for other in self.holders.values():
            other.balance += sign * shares.get(other.wallet, 0)

    def _receive(self, holder: Holder, payment: Json, value: float) -> None:
        payment |= {"status": "RECEIVED", "value": value, "paymentDate": today()}
        shares = {share["walletId"]: share["fixedValue"] for share in payment.get("split", [])}
        holder.balance += value - PIX_FEE - sum(shares.values())
        for other in self.holders.values():
            other.balance += shares.get(other.wallet, 0)


ROUTES: list[tuple[str, str, Callable[[Bank, Call], Json]]] = [
    ("POST", "/customers", Bank.create_customer),
    ("GET", "/customers", Bank.list_customers),
    ("POST", "/payments", Bank.create_payment),
    ("GET", "/payments", Bank.list_payments),
    ("GET", "/payments/{id}", Bank.read_payment),
    ("DELETE", "/payments/{id}", Bank.delete_payment),
    ("POST", "/payments/{id}/refund", Bank.refund_payment),
    ("GET", "/payments/{id}/refunds", Bank.list_refunds),
    ("GET", "/payments/{id}/pixQrCode", Bank.qr_code),
    ("POST", "/sandbox/payment/{id}/confirm", Bank.confirm),
    ("GET", "/pix/transactions/{id}", Bank.read_pix_transaction),
    ("GET", "/pix/addressKeys", Bank.list_pix_keys),
    ("POST", "/pix/addressKeys", Bank.create_pix_key),
    ("GET", "/wallets", Bank.wallets),
    ("POST", "/accounts", Bank.create_account),
    ("GET", "/accounts", Bank.list_accounts),
    ("GET", "/myAccount/status", Bank.account_status),
    ("GET", "/myAccount/documents", Bank.account_documents),
    ("GET", "/myAccount/fees/", Bank.fees),
    ("POST", "/transfers", Bank.create_transfer),
    ("GET", "/transfers", Bank.list_transfers),
    ("GET", "/transfers/{id}", Bank.read_transfer),
    ("DELETE", "/transfers/{id}/cancel", Bank.cancel_transfer),
    ("POST", "/webhooks", Bank.create_webhook),
    ("GET", "/webhooks", Bank.list_webhooks),
    ("PUT", "/webhooks/{id}", Bank.update_webhook),
]
PATTERNS = [
    (method, route, re.compile("/v3" + route.replace("{id}", "(?P<id>[^/]+)")), handler)
    for method, route, handler in ROUTES
]


def holder_of(call: Call) -> Holder:
    assert call.holder is not None, "_admit sets it"
    return call.holder


def known(things: dict[str, Json], key: str) -> Json:
    if key not in things:
        raise Refusal(404)  # Asaas sends an empty body.
    return things[key]


def refunded(payment: Json) -> float:
    """What was refunded of a payment, or will be."""
    return sum(refund["value"] for refund in payment["refunds"] or [] if refund["status"] != "CANCELLED")


def refunded_splits(payment: Json, value: float) -> list[Json]:
    """The splits that a refund takes back: all if it is of the whole payment, none if it is of a part."""
    splits: list[Json] = payment.get("split", [])
    return splits if value == payment["value"] else []


def listing(call: Call, things: dict[str, Json], *filters: str) -> Json:
    """Return a page, newest first, ten items by default."""
    wanted = {name: call.query[name] for name in filters if name in call.query}
    found = [thing for thing in reversed(list(things.values())) if wanted.items() <= thing.items()]
    limit, offset = int(call.query.get("limit", "10")), int(call.query.get("offset", "0"))
    assert limit <= 100
    page = found[offset : offset + limit]
    more = len(found) > offset + limit
    counts = {"hasMore": more, "totalCount": len(found), "limit": limit, "offset": offset}
    return {"object": "list", **counts, "data": page}


def require_token(webhook: Json) -> None:
    token = webhook["authToken"]
    bad = " " in token or "12345" in token or token.startswith("$aact_") or re.search(r"([A-Za-z])\1{3}", token)
    if bad or not 32 <= len(token) <= 255:
        raise Refusal(400, "invalid_object", "O token de autenticação é inválido.")


def public_webhook(webhook_id: str, body: Json) -> Json:
    fields = {name: value for name, value in body.items() if name != "authToken"}
    return {"id": webhook_id, "hasAuthToken": bool(body.get("authToken")), **fields}


def document_group(status: str, link: str | None = "https://cadastro.example.com/onboarding/1") -> Json:
    return {
        "id": str(uuid.uuid4()),
        "status": status,
        "type": "IDENTIFICATION",
        "responsible": {"name": "Ana", "type": "ASAAS_ACCOUNT_OWNER"},
        "onboardingUrl": None if status == "APPROVED" else link,
    }


def today() -> str:
    return datetime.now(UTC).astimezone(SAO_PAULO).date().isoformat()


def stamp() -> str:
    return datetime.now(UTC).astimezone(SAO_PAULO).strftime("%Y-%m-%d %H:%M:%S")
