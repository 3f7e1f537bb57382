"""Pix charges at Asaas: payments of type PIX, whose `externalReference` is our charge's id."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any

import orjson
from msgspec.structs import replace

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.customers import Customers
from gateway.integrations.engines.asaas.mapping import (
    centavos,
    charge_state,
    due_date,
    items,
    refunded_amount,
    required,
    timestamp,
)
from gateway.integrations.engines.errors import (
    FEE_EXCEEDS_NET_AMOUNT,
    EngineError,
    EngineOutcomeUnknown,
    EngineRefused,
    EngineUnavailable,
)
from gateway.integrations.engines.http_client import MissingResource, Refused, unknown_if_invalid
from gateway.integrations.engines.interface import Account, EngineCharge, EngineState, NewCharge
from gateway.integrations.engines.notifications import text
from gateway.models.base import Environment
from gateway.telemetry import log
from gateway.values.clock import Clock
from gateway.values.money import reais_from_centavos

MAX_DESCRIPTION_LENGTH = 500
QR_RETRY_SECONDS = (0.3, 1.0)
"""Pauses before the BR Code of a new charge is requested again."""
_PAID_FIRST = (EngineState.paid, EngineState.held)


class Charges:
    """The charges of one environment."""

    def __init__(self, client: AsaasClient, customers: Customers, clock: Clock, environment: Environment) -> None:
        self._client = client
        self._customers = customers
        self._clock = clock
        self._environment = environment
        self._main_wallet: str | None = None

    async def create(self, request: NewCharge) -> EngineCharge:
        data = await self._post(request)
        with unknown_if_invalid():
            charge = self._charge_with_net_amount(data)
        if request.account is not None and charge.net_amount is not None and request.fee > charge.net_amount:
            await self._require_canceled(charge.id, request.account)
            raise EngineRefused(
                "the service fee is more than Asaas leaves of the charge", reason=FEE_EXCEEDS_NET_AMOUNT
            )
        try:
            return replace(charge, br_code=await self._br_code(charge.id, request.account))
        except EngineError as error:
            if isinstance(error, Refused) and not isinstance(error, MissingResource):
                # It will never have a code: most often the account has no Pix key. So it cannot be paid.
                await self._require_canceled(charge.id, request.account)
                raise
            raise EngineOutcomeUnknown(f"the charge was made, its code could not be read: {error}") from error

    async def find(self, external_reference: str, _txid: str, account: Account | None = None) -> EngineCharge | None:
        query = {"externalReference": external_reference, "limit": "100"}
        data = await self._client.call("GET", "/payments", account, query=query)
        # Compared again: an ignored filter would return other charges.
        same = [item for item in items(data) if item.get("externalReference") == external_reference]
        found = [self._charge_with_net_amount(item) for item in same]
        active = [charge for charge in found if charge.state is not EngineState.retired]
        if not active:
            return None
        charge = next((charge for state in _PAID_FIRST for charge in active if charge.state is state), active[0])
        pending = (other.id for other in active if other.state is EngineState.pending and other.id != charge.id)
        charge = replace(charge, duplicates=tuple(pending))
        if charge.state is not EngineState.pending:
            return charge
        try:
            return replace(charge, br_code=await self._br_code(charge.id, account))
        except Refused:
            # Without a code no check accepts it, but it can still be canceled by its id.
            return charge

    async def read(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        try:
            data = await self._client.call("GET", "/payments/{id}", account, id=engine_id)
        except MissingResource:
            return None
        return self._charge(data, await self._pix_transaction(data, account))

    async def cancel(self, engine_id: str, account: Account | None = None) -> None:
        try:
            await self._client.call("DELETE", "/payments/{id}", account, id=engine_id)
        except Refused as refusal:
            log.info("asaas_charge_not_retired", engine_id=engine_id, detail=refusal.detail)
        except EngineOutcomeUnknown as error:
            raise EngineUnavailable(str(error)) from error

    async def confirm(self, engine_id: str, account: Account | None = None) -> bytes | None:
        """Pay in the sandbox. Asaas notifies later; the returned notification lets the payment be verified at once."""
        if self._environment is not Environment.test:
            raise EngineRefused("only the sandbox confirms a simulated payment")
        data = await self._client.call("POST", "/sandbox/payment/{id}/confirm", account, {}, id=engine_id)
        if charge_state(data) is not EngineState.paid:
            return None
        event_id = f"confirmed:{engine_id}:{secrets.token_hex(8)}"
        return orjson.dumps({"id": event_id, "event": "PAYMENT_RECEIVED", "payment": data})

    async def _post(self, request: NewCharge) -> dict[str, Any]:
        customer_id = await self._customers.id_of(request.payer, request.account)
        body = self._body(request) | await self._split(request)
        try:
            return await self._client.call("POST", "/payments", request.account, body | {"customer": customer_id})
        except Refused as refusal:
            if refusal.code != "invalid_customer":
                raise
        # The customer was deleted at Asaas: create it again, once.
        await self._customers.forget(request.payer, request.account, customer_id)
        customer_id = await self._customers.id_of(request.payer, request.account)
        return await self._client.call("POST", "/payments", request.account, body | {"customer": customer_id})

    def _body(self, request: NewCharge) -> dict[str, Any]:
        return {
            "billingType": "PIX",
            "value": reais_from_centavos(request.amount),
            "dueDate": due_date(request.due_date, request.expires_at, self._clock.now()),
            "description": request.description[:MAX_DESCRIPTION_LENGTH],
            "externalReference": request.external_reference,
        }

    async def _split(self, request: NewCharge) -> dict[str, Any]:
        """The service's fee for the main account's wallet. Asaas refuses a split from the main account to itself."""
        if request.account is None or request.fee == 0:
            return {}
        if self._main_wallet is None:
            self._main_wallet = await self._wallet()
        share = {"walletId": self._main_wallet, "fixedValue": reais_from_centavos(request.fee)}
        return {"split": [share | {"externalReference": request.external_reference}]}

    async def _wallet(self) -> str:
        for wallet in items(await self._client.call("GET", "/wallets")):
            if wallet_id := text(wallet.get("id")):
                return wallet_id
        raise EngineUnavailable("the main account shows no wallet")

    async def _require_canceled(self, engine_id: str, account: Account | None) -> None:
        try:
            await self._client.call("DELETE", "/payments/{id}", account, id=engine_id)
        except EngineError as error:
            raise EngineOutcomeUnknown("an invalid charge could not be canceled") from error

    async def _br_code(self, engine_id: str, account: Account | None) -> str:
        for pause in (*QR_RETRY_SECONDS, None):
            try:
                data = await self._client.call("GET", "/payments/{id}/pixQrCode", account, id=engine_id)
                code = data.get("payload")
                return code if isinstance(code, str) else ""  # The caller validates it, as for every engine.
            except Refused:
                if pause is None:
                    raise
                await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    async def _pix_transaction(self, data: Mapping[str, Any], account: Account | None) -> Mapping[str, Any]:
        """The transaction with the EndToEndId of a paid charge. A payment is valid without it."""
        transaction = text(data.get("pixTransaction"))
        if transaction is None or charge_state(data) is not EngineState.paid:
            return {}
        try:
            return await self._client.call("GET", "/pix/transactions/{id}", account, id=transaction)
        except EngineError as error:
            log.warning("asaas_pix_transaction_unread", charge_id=data.get("externalReference"), error=str(error))
            return {}

    def _charge_with_net_amount(self, data: Mapping[str, Any]) -> EngineCharge:
        net_value = data.get("netValue")
        return replace(self._charge(data), net_amount=None if net_value is None else centavos(net_value))

    def _charge(self, data: Mapping[str, Any], transaction: Mapping[str, Any] | None = None) -> EngineCharge:
        now, transaction = self._clock.now(), transaction or {}
        value = centavos(data.get("value"))
        state = charge_state(data)
        paid = state in {EngineState.paid, EngineState.refunded}
        paid_at = timestamp(transaction.get("effectiveDate"), now) or timestamp(data.get("paymentDate"), now)
        # `value` includes interest for late payment; `originalValue` then has the charge's amount.
        original = data.get("originalValue")
        return EngineCharge(
            required(data, "id"),
            text(data.get("externalReference")) or "",
            "",
            value if original is None else centavos(original),
            state,
            value if paid else None,
            paid_at if paid else None,
            text(transaction.get("endToEndIdentifier")),
            refunded_amount=refunded_amount(data) if paid else None,
        )
