"""Pix charges at Asaas: payments of type PIX, whose `externalReference` is our charge's id."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any

import orjson
from msgspec.structs import replace

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.failures import NotThere, Refused
from gateway.integrations.engines.asaas.payers import Payers
from gateway.integrations.engines.asaas.words import Unreadable, centavos, due_date, items, moment, required, state
from gateway.integrations.engines.notices import text
from gateway.integrations.engines.port import (
    FEE_NOT_LEFT,
    Account,
    EngineCharge,
    EngineError,
    EngineRefused,
    EngineState,
    EngineUnavailable,
    EngineUnknown,
    NewCharge,
)
from gateway.telemetry import log
from gateway.values.clock import Clock
from gateway.values.money import reais_from_centavos

LONGEST_DESCRIPTION = 500
QR_PAUSES = (0.3, 1.0)
"""Before asking again for the code of a charge that was made a moment ago and isn't there yet."""
_FIRST = (EngineState.paid, EngineState.held)
"""Of several charges of one reference, those that somebody has paid count first."""


class Charges:
    """The charges of one environment."""

    def __init__(self, client: AsaasClient, payers: Payers, clock: Clock) -> None:
        self._client = client
        self._payers = payers
        self._clock = clock
        self._main_wallet: str | None = None

    async def create(self, wanted: NewCharge) -> EngineCharge:
        made = await self._post(wanted)
        try:
            charge = self._asked(made)
        except Unreadable as error:
            raise EngineUnknown(str(error)) from error
        if wanted.account is not None and charge.left is not None and wanted.fee > charge.left:
            await self._require_retired(charge.id, wanted.account)
            raise EngineRefused("the service fee is more than Asaas leaves of the charge", reason=FEE_NOT_LEFT)
        try:
            return replace(charge, br_code=await self._code(charge.id, wanted.account))
        except EngineError as error:
            if isinstance(error, Refused) and not isinstance(error, NotThere):
                # There will be no code: most often the account has no Pix key. Without one nobody can pay the charge.
                await self._require_retired(charge.id, wanted.account)
                raise
            raise EngineUnknown(f"the charge was made, its code could not be read: {error}") from error

    async def find(self, reference: str, account: Account | None) -> EngineCharge | None:
        said = await self._client.get("/payments", account, query={"externalReference": reference, "limit": "100"})
        try:
            # A filter that was ignored would show strangers' charges, so each is compared.
            listed = [self._asked(item) for item in items(said) if item.get("externalReference") == reference]
        except Unreadable as error:
            raise EngineUnavailable(str(error)) from error
        living = [charge for charge in listed if charge.state is not EngineState.retired]
        charge = next((charge for state in _FIRST for charge in living if charge.state is state), None) or next(
            iter(living), None
        )
        if charge is None:
            return None
        # An order may be carried out after we looked for it and asked again.
        pending = (other.id for other in living if other.state is EngineState.pending and other.id != charge.id)
        charge = replace(charge, doubles=tuple(pending))
        if charge.state is not EngineState.pending:
            return charge
        try:
            return replace(charge, br_code=await self._code(charge.id, account))
        except Refused:
            # It can be retired by its id all the same; as it is, no check would let it pass.
            return charge

    async def read(self, engine_id: str, account: Account | None) -> EngineCharge | None:
        try:
            said = await self._client.get("/payments/{id}", account, id=engine_id)
        except NotThere:
            return None
        proof = await self._pix_transaction(said, account)
        try:
            return self._charge(said, proof)
        except Unreadable as error:
            raise EngineUnavailable(str(error)) from error

    async def retire(self, engine_id: str, account: Account | None) -> None:
        try:
            await self._client.delete("/payments/{id}", account, id=engine_id)
        except Refused as refusal:
            log.info("asaas_charge_not_retired", engine_id=engine_id, detail=refusal.detail)
        except EngineUnknown as error:
            raise EngineUnavailable(str(error)) from error

    async def confirm(self, engine_id: str, account: Account | None) -> bytes | None:
        """The sandbox's payment. Its own notice follows; the one returned lets the payment be verified at once, as
        often as it is confirmed.
        """
        said = await self._client.post("/sandbox/payment/{id}/confirm", {}, account, id=engine_id)
        if state(said) is not EngineState.paid:
            return None
        notice = {"id": f"confirmed:{engine_id}:{secrets.token_hex(8)}", "event": "PAYMENT_RECEIVED", "payment": said}
        return orjson.dumps(notice)

    async def _post(self, wanted: NewCharge) -> dict[str, Any]:
        payer_id = await self._payers.id_of(wanted.payer, wanted.account)
        split = await self._split(wanted)
        try:
            return await self._client.post("/payments", self._body(wanted, payer_id) | split, wanted.account)
        except Refused as refusal:
            if refusal.code != "invalid_customer":
                raise
        # Somebody deleted the customer at Asaas. It is made anew, once.
        await self._payers.forget(wanted.payer, wanted.account, payer_id)
        payer_id = await self._payers.id_of(wanted.payer, wanted.account)
        return await self._client.post("/payments", self._body(wanted, payer_id) | split, wanted.account)

    def _body(self, wanted: NewCharge, payer_id: str) -> dict[str, Any]:
        return {
            "customer": payer_id,
            "billingType": "PIX",
            "value": reais_from_centavos(wanted.amount),
            "dueDate": due_date(wanted.due_date, wanted.expires_at, self._clock.now()),
            "description": wanted.description[:LONGEST_DESCRIPTION],
            "externalReference": wanted.external_reference,
        }

    async def _split(self, wanted: NewCharge) -> dict[str, Any]:
        """The service's fee goes to the main account's wallet; splitting from the main account to itself is refused."""
        if wanted.account is None or wanted.fee == 0:
            return {}
        if self._main_wallet is None:
            self._main_wallet = await self._wallet()
        share = {"walletId": self._main_wallet, "fixedValue": reais_from_centavos(wanted.fee)}
        return {"split": [share | {"externalReference": wanted.external_reference}]}

    async def _wallet(self) -> str:
        for wallet in items(await self._client.get("/wallets")):
            if wallet_id := text(wallet.get("id")):
                return wallet_id
        raise EngineUnavailable("the main account shows no wallet")

    async def _require_retired(self, engine_id: str, account: Account | None) -> None:
        try:
            await self._client.delete("/payments/{id}", account, id=engine_id)
        except EngineError as error:
            raise EngineUnknown("a charge that must not live could not be retired") from error

    async def _code(self, engine_id: str, account: Account | None) -> str:
        for pause in (*QR_PAUSES, None):
            try:
                said = await self._client.get("/payments/{id}/pixQrCode", account, id=engine_id)
                code = said.get("payload")
                # Its checks are the gateway's, and the same for every engine.
                return code if isinstance(code, str) else ""
            except Refused:
                if pause is None:
                    raise
                await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    async def _pix_transaction(self, said: Mapping[str, Any], account: Account | None) -> Mapping[str, Any]:
        """Where the EndToEndId is. A payment counts without it, so its absence stops nothing."""
        transaction = text(said.get("pixTransaction"))
        if transaction is None or state(said) is not EngineState.paid:
            return {}
        try:
            return await self._client.get("/pix/transactions/{id}", account, id=transaction)
        except EngineError as error:
            log.warning("asaas_pix_transaction_unread", charge_id=said.get("externalReference"), error=str(error))
            return {}

    def _asked(self, said: Mapping[str, Any]) -> EngineCharge:
        """A charge that may still be ours to retire, with what Asaas leaves of it."""
        left = said.get("netValue")
        return replace(self._charge(said), left=None if left is None else centavos(left))

    def _charge(self, said: Mapping[str, Any], proof: Mapping[str, Any] | None = None) -> EngineCharge:
        now, proof = self._clock.now(), proof or {}
        value = centavos(said.get("value"))
        stands = state(said)
        paid = stands in {EngineState.paid, EngineState.refunded}
        paid_at = moment(proof.get("effectiveDate"), now) or moment(said.get("paymentDate"), now)
        # `value` grows by interest that a late payer owes; what was asked for is then in `originalValue`.
        asked = said.get("originalValue")
        return EngineCharge(
            required(said, "id"),
            text(said.get("externalReference")) or "",
            "",
            value if asked is None else centavos(asked),
            stands,
            value if paid else None,
            paid_at if paid else None,
            text(proof.get("endToEndIdentifier")),
        )
