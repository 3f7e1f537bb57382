"""Customers at Asaas: a charge needs a customer id, which is cached in `provider_customers`.

Asaas accepts duplicate customers, so ours have a reference that is searched before one is created. Customers that the
operator created by hand are not used: their notifications cost money and are the operator's choice.
"""

from contextlib import suppress

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.mapping import items, required
from gateway.integrations.engines.errors import EngineOutcomeUnknown, EngineUnavailable, PayerRefused
from gateway.integrations.engines.http_client import InvalidResponse
from gateway.integrations.engines.interface import Account, Payer
from gateway.models.base import Environment
from gateway.models.database import Database, Statement
from gateway.models.engines import provider_customers as table
from gateway.values.clock import Clock

ENGINE = "asaas"
DEFAULT_NAME = "Pagador"
_KEY = ("engine", "environment", "account_id", "document")
_same = [table.c[name] == bindparam(name) for name in _KEY]
FIND = Statement(select(table.c.customer_id).where(*_same))
SAVE = Statement(
    insert(table)
    .values({name: bindparam(name) for name in (*_KEY, "customer_id", "created_at")})
    .on_conflict_do_update(
        constraint="pk_provider_customers",
        set_={"customer_id": bindparam("customer_id")},
    )
)
DELETE = Statement(delete(table).where(*_same, table.c.customer_id == bindparam("customer_id")))


class Customers:
    """The customers of one environment."""

    def __init__(self, client: AsaasClient, database: Database, clock: Clock, environment: Environment) -> None:
        self._client = client
        self._database = database
        self._clock = clock
        self._environment = environment

    async def id_of(self, payer: Payer, account: Account | None) -> str:
        """The customer's id at Asaas, created if missing. Raises `PayerRefused` for a payer without a document."""
        key = self._key(payer, account)
        known: str | None = await self._database.value(FIND, **key)
        if known is not None:
            return known
        found = await self._find(payer, account) or await self._create(payer, account)
        await self._database.run(SAVE, **key, customer_id=found, created_at=self._clock.now())
        return found

    async def forget(self, payer: Payer, account: Account | None, customer_id: str) -> None:
        """Delete an id that Asaas no longer has."""
        await self._database.run(DELETE, **self._key(payer, account), customer_id=customer_id)

    def _key(self, payer: Payer, account: Account | None) -> dict[str, str]:
        if not payer.document:
            raise PayerRefused("Asaas requires the payer's document", reason="falta o CPF ou CNPJ")
        return {
            "engine": ENGINE,
            "environment": self._environment,
            "account_id": account.id if account else "",
            "document": payer.document,
        }

    async def _find(self, payer: Payer, account: Account | None) -> str | None:
        data = await self._client.call("GET", "/customers", account, query={"externalReference": _reference(payer)})
        with suppress(InvalidResponse):
            for customer in items(data):
                if customer.get("externalReference") == _reference(payer) and customer.get("deleted") is not True:
                    return required(customer, "id")
        return None

    async def _create(self, payer: Payer, account: Account | None) -> str:
        # A Pix needs only name and document; other data could be refused, misused or cost money.
        body = {
            "name": payer.name or DEFAULT_NAME,
            "cpfCnpj": payer.document,
            "externalReference": _reference(payer),
            "notificationDisabled": True,
        }
        try:
            return required(await self._client.call("POST", "/customers", account, body), "id")
        except (EngineOutcomeUnknown, InvalidResponse) as error:
            created = await self._find(payer, account)
            if created is None:
                # Whether or not the customer exists, no charge was created.
                raise EngineUnavailable("a payer could not be registered") from error
            return created


def _reference(payer: Payer) -> str:
    return f"pix-gateway:{payer.document}"
