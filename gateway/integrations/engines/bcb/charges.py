"""Charges: immediate charges (`cob`) under our txid, so an order that is repeated creates nothing twice."""

from collections.abc import Mapping
from typing import Any

import orjson

from gateway.integrations.banks.settings import BankSettings
from gateway.integrations.engines.bcb.client import BankClient
from gateway.integrations.engines.bcb.mapping import REMOVED, br_code_of, engine_charge, reais
from gateway.integrations.engines.errors import EngineError, EngineOutcomeUnknown, EngineRefused, EngineUnavailable
from gateway.integrations.engines.http_client import MissingResource, Refused, unknown_if_invalid
from gateway.integrations.engines.interface import Account, EngineCharge, EngineState, NewCharge
from gateway.integrations.engines.notifications import mapping, objects
from gateway.models.base import Environment
from gateway.telemetry import log
from gateway.values.clock import Clock

MAX_DESCRIPTION_LENGTH = 140
MAX_NAME_LENGTH = 200
MIN_SECONDS = 60
"""The shortest expiry that we order. Some banks refuse less."""
MAX_SECONDS = 2**31 - 1
_CPF_DIGITS = 11
COB = "/cob/{txid}"
NO_SIMULATED_PAYMENTS = "este banco não paga cobranças de teste por aqui; pague o código Pix no ambiente de testes dele"


class Charges:
    """The charges of one environment. An engine id is the charge's txid."""

    def __init__(self, client: BankClient, settings: BankSettings, clock: Clock, environment: Environment) -> None:
        self._client = client
        self._settings = settings
        self._clock = clock
        self._environment = environment

    async def create(self, request: NewCharge) -> EngineCharge:
        if request.account is not None:
            raise EngineRefused("the Central Bank's API has no accounts of merchants")
        body = self._body(request)
        try:
            data = await self._client.call("PUT", COB, body, txid=request.txid)
        except Refused as refusal:
            data = await self._existing(request, body, refusal)
        with unknown_if_invalid():
            return self._charge(data, request.txid, request.external_reference)

    async def find(self, external_reference: str, txid: str, account: Account | None = None) -> EngineCharge | None:
        """One that was removed unpaid is none: it can't be adopted, nor paid."""
        found = await self._find(txid, account, external_reference)
        return None if found is None or found.state is EngineState.retired else found

    async def read(self, engine_id: str, account: Account | None = None) -> EngineCharge | None:
        return await self._find(engine_id, account, None)

    async def cancel(self, engine_id: str, _account: Account | None = None) -> None:
        try:
            await self._client.call("PATCH", COB, {"status": REMOVED}, txid=engine_id)
        except Refused as refusal:
            log.info("bank_charge_not_removed", txid=engine_id, detail=refusal.detail)
        except EngineOutcomeUnknown as error:
            raise EngineUnavailable(str(error)) from error

    @property
    def pays_test_charges(self) -> bool:
        return self._environment is Environment.test and self._settings.profile.pays_test_charges

    async def confirm(self, engine_id: str, _account: Account | None = None) -> bytes | None:
        """Pay in the bank's test environment. Returns the notification, so that the payment is verified at once."""
        if not self.pays_test_charges:
            raise EngineRefused("this bank has no simulated payments that we know", reason=NO_SIMULATED_PAYMENTS)
        data = await self._client.call("GET", COB, txid=engine_id)
        amount = mapping(data.get("valor")).get("original")
        await self._client.call("POST", "/cob/pagar/{txid}", {"valor": amount}, txid=engine_id)
        paid = objects((await self._client.call("GET", COB, txid=engine_id)).get("pix"))
        return orjson.dumps({"pix": [{"txid": engine_id, **pix} for pix in paid]}) if paid else None

    async def _find(self, txid: str, account: Account | None, reference: str | None) -> EngineCharge | None:
        if account is not None:
            raise EngineRefused("the Central Bank's API has no accounts of merchants")
        try:
            data = await self._client.call("GET", COB, txid=txid)
        except MissingResource:
            return None
        return self._charge(data, txid, reference)

    async def _existing(self, request: NewCharge, body: Mapping[str, Any], refusal: Refused) -> dict[str, Any]:
        """The charge that the bank has under the txid, if the refusal may mean that; it must be the requested one.
        Otherwise raises the refusal.
        """
        if refusal.status != 409 and refusal.code != "CobOperacaoInvalida":
            raise refusal
        try:
            data = await self._client.call("GET", COB, txid=request.txid)
        except MissingResource:
            raise refusal from None
        except EngineError as error:
            raise EngineOutcomeUnknown(f"refused, and the txid could not be read: {error}") from error
        same_amount = mapping(data.get("valor")).get("original") == body["valor"]["original"]
        if same_amount and data.get("chave") == body["chave"]:
            return data
        raise refusal

    def _body(self, request: NewCharge) -> dict[str, Any]:
        seconds = int((request.expires_at - self._clock.now()).total_seconds())
        description = request.description[:MAX_DESCRIPTION_LENGTH].strip()
        return {
            "calendario": {"expiracao": max(MIN_SECONDS, min(seconds, MAX_SECONDS))},
            **_debtor(request),
            "valor": {"original": reais(request.amount)},
            "chave": self._settings.pix_key,
            **({"solicitacaoPagador": description} if description else {}),
        }

    def _charge(self, data: Mapping[str, Any], txid: str, reference: str | None) -> EngineCharge:
        code = "" if reference is None else br_code_of(data, self._settings)
        return engine_charge(data, txid, code, reference)


def _debtor(request: NewCharge) -> dict[str, Any]:
    """The payer, which the API takes with name and document or not at all."""
    name, document = request.payer.name[:MAX_NAME_LENGTH].strip(), request.payer.document
    if not name or not document:
        return {}
    return {"devedor": {"nome": name, "cpf" if len(document) == _CPF_DIGITS else "cnpj": document}}
