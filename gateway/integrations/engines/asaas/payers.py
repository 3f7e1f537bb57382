"""Payers as Asaas knows them: a charge needs a customer's id, which is kept here so that a known payer costs no call.

Asaas accepts the same person many times over, so ours are looked for by a reference of our own before one is made. They
are apart from customers that the operator made by hand, whose notifications, which cost money, are theirs to switch.
"""

from contextlib import suppress

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.words import Unreadable, items, required
from gateway.integrations.engines.port import Account, EngineUnavailable, EngineUnknown, Payer, PayerRefused
from gateway.models.base import Environment
from gateway.models.database import Database, Statement
from gateway.models.engines import engine_payers as payers
from gateway.values.clock import Clock

ENGINE = "asaas"
NAMELESS = "Pagador"
_KEY = ("engine", "environment", "account_id", "document")
_mine = [payers.c[name] == bindparam(name) for name in _KEY]
FIND = Statement(select(payers.c.payer_id).where(*_mine))
KEEP = Statement(
    insert(payers)
    .values({name: bindparam(name) for name in (*_KEY, "payer_id", "created_at")})
    .on_conflict_do_update(
        constraint="pk_engine_payers", set_={"payer_id": bindparam("payer_id", type_=payers.c.payer_id.type)}
    )
)
FORGET = Statement(delete(payers).where(*_mine, payers.c.payer_id == bindparam("payer_id")))


class Payers:
    """The payers of one environment."""

    def __init__(self, client: AsaasClient, database: Database, clock: Clock, environment: Environment) -> None:
        self._client = client
        self._database = database
        self._clock = clock
        self._environment = environment

    async def id_of(self, payer: Payer, account: Account | None) -> str:
        """The customer's id at Asaas, made if need be. Raises `PayerRefused` for a payer without a document."""
        key = self._key(payer, account)
        known: str | None = await self._database.value(FIND, **key)
        if known is not None:
            return known
        found = await self._find(payer, account) or await self._make(payer, account)
        await self._database.run(KEEP, **key, payer_id=found, created_at=self._clock.now())
        return found

    async def forget(self, payer: Payer, account: Account | None, payer_id: str) -> None:
        """Asaas doesn't know the id any more."""
        await self._database.run(FORGET, **self._key(payer, account), payer_id=payer_id)

    def _key(self, payer: Payer, account: Account | None) -> dict[str, str]:
        if not payer.document:
            raise PayerRefused("Asaas charges nobody without a document", reason="falta o CPF ou CNPJ")
        return {
            "engine": ENGINE,
            "environment": self._environment,
            "account_id": account.id if account else "",
            "document": payer.document,
        }

    async def _find(self, payer: Payer, account: Account | None) -> str | None:
        said = await self._client.get("/customers", account, query={"externalReference": _reference(payer)})
        with suppress(Unreadable):
            for customer in items(said):
                if customer.get("externalReference") == _reference(payer) and customer.get("deleted") is not True:
                    return required(customer, "id")
        return None

    async def _make(self, payer: Payer, account: Account | None) -> str:
        # Name and document are all that a Pix needs; what isn't sent can't be refused, misused or charged for.
        body = {
            "name": payer.name or NAMELESS,
            "cpfCnpj": payer.document,
            "externalReference": _reference(payer),
            "notificationDisabled": True,
        }
        try:
            return required(await self._client.post("/customers", body, account), "id")
        except (EngineUnknown, Unreadable) as error:
            made = await self._find(payer, account)
            if made is None:
                # Whatever became of the customer, no charge was made.
                raise EngineUnavailable("a payer could not be registered") from error
            return made


def _reference(payer: Payer) -> str:
    return f"pix-gateway:{payer.document}"
