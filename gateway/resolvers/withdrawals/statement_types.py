"""Input and entries of a store's statement."""

import base64
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, NamedTuple, Self

import orjson
from pydantic import AfterValidator, Field

from gateway.resolvers.core.inputs import End, Input, Start, ZoneName
from gateway.resolvers.core.listing.cursors import MAX_LENGTH
from gateway.resolvers.core.listing.inputs import DEFAULT_LIMIT, PageSize
from gateway.resolvers.core.views import View
from gateway.values.dates import read_beginning
from gateway.values.ids import Id, is_id
from gateway.values.money import Centavos


class StatementEntryKind(StrEnum):
    """What moved a balance. Entries of the same instant are in this order."""

    charge_paid = "charge_paid"
    charge_refunded = "charge_refunded"
    refund = "refund"
    refund_rejected = "refund_rejected"
    withdrawal = "withdrawal"
    withdrawal_rejected = "withdrawal_rejected"
    repayment = "repayment"


KINDS = tuple(StatementEntryKind)
_INVALID_CURSOR = "cursor inválido para o extrato"


class Position(NamedTuple):
    """Where a page begins: after this entry. `balance` is the one before it."""

    at: datetime
    rank: int
    id: str
    balance: int

    @classmethod
    def read(cls, cursor: str) -> Self:
        """The position of a cursor. Raises ValueError."""
        try:
            at, rank, row_id, balance = orjson.loads(base64.urlsafe_b64decode(cursor[:MAX_LENGTH] + "=="))
            position = cls(read_beginning(at).astimezone(UTC), rank, row_id, balance)
        except (ValueError, TypeError, OverflowError):
            raise ValueError(_INVALID_CURSOR) from None
        known = rank in range(len(KINDS)) and isinstance(row_id, str) and is_id(row_id)
        if not known or type(balance) is not int or abs(balance) >= 2**62:
            raise ValueError(_INVALID_CURSOR)
        return position

    @classmethod
    def of(cls, entry: "StatementEntryView") -> Self:
        row_id = entry.refund_id or entry.charge_id or entry.withdrawal_id or entry.repayment_id
        assert row_id is not None
        return cls(entry.at, KINDS.index(entry.kind), row_id, entry.balance_after - entry.amount)

    def cursor(self) -> str:
        return base64.urlsafe_b64encode(orjson.dumps(list(self))).rstrip(b"=").decode()


def _check_cursor(cursor: str) -> str:
    if cursor:
        Position.read(cursor)
    return cursor


class StatementParams(Input):
    """`GET /statement`: everything optional; the newest entries first."""

    # Before the dates, which are read in this zone.
    tz: ZoneName | None = Field(None, description="Fuso horário (IANA) das datas sem hora. Padrão: America/Sao_Paulo.")
    from_: Start | None = Field(
        None, alias="from", description="Lançamentos a partir deste momento; de uma data, desde o início."
    )
    to: End | None = Field(None, description="Lançamentos até este momento; de uma data, o dia inteiro.")
    limit: PageSize = Field(DEFAULT_LIMIT, description="Quantos lançamentos: padrão 50, máximo 100.")
    after: Annotated[str, AfterValidator(_check_cursor)] | None = Field(
        None, description="Só os lançamentos depois deste cursor, que são mais antigos."
    )


class StatementEntryView(View):
    """Um lançamento do extrato: algo que mudou o saldo da loja."""

    at: datetime = Field(description="Quando.")
    kind: StatementEntryKind = Field(description="O que mudou o saldo.")
    amount: Centavos = Field(description="Quanto entrou, em reais, já sem a tarifa; negativo, quanto saiu.")
    balance_after: Centavos = Field(description="Saldo depois do lançamento, em reais.")
    charge_id: Id | None = Field(description="A cobrança paga ou devolvida.")
    refund_id: Id | None = Field(description="A devolução pedida pela loja.")
    withdrawal_id: Id | None = Field(description="O saque.")
    repayment_id: Id | None = Field(description="O repasse.")
