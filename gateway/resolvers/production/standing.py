"""`GET /production` and `POST /production/request`: where a store stands, and asking to be approved."""

from typing import Any

from sqlalchemy import bindparam, select, update

from gateway.errors import Conflict, GatewayError, InvalidInput, UnderReview
from gateway.models.accounts import ProductionStatus, users
from gateway.models.database import Executor, Statement
from gateway.models.production import production_documents
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Production
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Nothing
from gateway.resolvers.core.operation import operation
from gateway.resolvers.production.moves import Move, write_move
from gateway.resolvers.production.states import ALLOWED
from gateway.resolvers.production.views import ProductionView, production_view

_U, _D = users, production_documents
_STANDING = [
    _U.c.company,
    _U.c.cnpj,
    *(column for column in _U.c if column.name.startswith("production_")),
]
# Not the lock of a key's change: charges and everything else that refers to the store go on meanwhile.
LOCK = Statement(select(*_STANDING).where(_U.c.id == bindparam("user_id")).with_for_update(key_share=True))
SENT = Statement(select(_D.c.type, _D.c.sha256).where(_D.c.user_id == bindparam("user_id")).order_by(_D.c.type))
REQUEST = Statement(
    update(_U)
    .where(_U.c.id == bindparam("user_id"))
    .values(
        production_status=ProductionStatus.pending.value,
        production_requested_at=bindparam("now", type_=_U.c.updated_at.type),
        production_reviewed_at=None,
        production_reject_reason=None,
        updated_at=bindparam("now", type_=_U.c.updated_at.type),
    )
    .returning(*_STANDING)
)
_WANTED = {
    "company": "informe o nome da loja no perfil",
    "cnpj": "informe o CNPJ no perfil",
    "company_registration": "envie o contrato social ou outro registro da empresa",
    "responsible_document": "envie o documento do responsável",
    "proof_of_address": "envie o comprovante de endereço",
    "accept_production_terms": "aceite os termos de produção no perfil",
}


@operation("production.read", Permission.holder)
async def read_production(ctx: Context, _: Nothing) -> ProductionView:
    """Read where the store stands with production, and what it still lacks."""
    return production_view(ctx.actor.production)


@operation("production.request", Permission.holder)
async def request_production(ctx: Context, _: Nothing) -> ProductionView:
    """Ask staff to approve the store for production. Raises `InvalidInput` with everything that is missing."""
    async with ctx.database.transaction() as transaction:
        standing = await lock_standing(transaction, ctx.store_id)
        # Read after the lock, which uploads take too: what is submitted is what lies there now.
        sent = {row["type"]: row["sha256"] for row in await transaction.all(SENT, user_id=ctx.store_id)}
        production = Production.of(standing | {"production_documents": list(sent)}, ctx.settings.terms_url)
        _refuse_unless_possible(production)
        row = await transaction.one(REQUEST, user_id=ctx.store_id, now=ctx.real_clock.now())
        assert row is not None
        submitted = {"company": standing["company"], "cnpj": standing["cnpj"], "documents": sent}
        move = Move(ctx.store_id, production.status, ProductionStatus.pending, submitted=submitted)
        await write_move(ctx, transaction, move)
        await record(ctx, transaction, "production.requested", ctx.store_id, changes=move.change())
    return production_view(Production.of(dict(row) | {"production_documents": list(sent)}, ctx.settings.terms_url))


async def lock_standing(transaction: Executor, store_id: str) -> dict[str, Any]:
    """The store's standing, which nobody else changes until the transaction ends."""
    row = await transaction.one(LOCK, user_id=store_id)
    assert row is not None, "authentication has just read this account, and accounts are never deleted"
    return dict(row)


def settled(status: ProductionStatus) -> GatewayError:
    """Why a store can neither request nor send documents now."""
    if status is ProductionStatus.pending:
        return UnderReview()
    if status is ProductionStatus.approved:
        return Conflict("Sua loja já está liberada para produção.")
    return Conflict("A operação em produção está suspensa; só a equipe do serviço pode reativá-la.")


def _wanted(name: str, terms_url: str | None) -> str:
    address = f", que estão em {terms_url}" if terms_url and name == "accept_production_terms" else ""
    return f"{_WANTED[name]}{address}"


def _refuse_unless_possible(production: Production) -> None:
    if ProductionStatus.pending not in ALLOWED[production.status]:
        raise settled(production.status)
    if production.missing:
        reasons = [(name, _wanted(name, production.terms_url)) for name in production.missing]
        listed = "; ".join(f"{reason} ({name})" for name, reason in reasons)
        message = f"Antes de pedir a liberação: {listed}."
        raise InvalidInput(*reasons, message=message, producao=production.block())
