"""`GET /production` and `POST /production/request`: the store's status in the production review, and its changes."""

from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, insert, select, update

from gateway.errors import Conflict, GatewayError, InvalidInput, UnderReview
from gateway.models.accounts import ProductionStatus, users
from gateway.models.database import Executor, Statement
from gateway.models.production import production_documents, production_status_changes
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.actor import Production
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.inputs import Empty
from gateway.resolvers.core.operation import operation
from gateway.resolvers.production.types import ProductionView
from gateway.values.ids import new_id

ALLOWED: dict[ProductionStatus, frozenset[ProductionStatus]] = {
    ProductionStatus.sandbox: frozenset({ProductionStatus.pending}),
    ProductionStatus.pending: frozenset({ProductionStatus.approved, ProductionStatus.rejected}),
    ProductionStatus.rejected: frozenset({ProductionStatus.pending}),
    ProductionStatus.approved: frozenset({ProductionStatus.suspended}),
    ProductionStatus.suspended: frozenset({ProductionStatus.approved}),
}
"""The transitions of the status (contract section 3)."""
ACCEPTS_DOCUMENTS = frozenset({ProductionStatus.sandbox, ProductionStatus.rejected, ProductionStatus.suspended})
"""Documents can't change under review and after approval."""

_U, _D, _C = users, production_documents, production_status_changes
_COLUMNS = [_U.c.company, _U.c.cnpj, *(column for column in _U.c if column.name.startswith("production_"))]
# `key_share`: charges and other rows that refer to the store are not blocked.
LOCK = Statement(select(*_COLUMNS).where(_U.c.id == bindparam("user_id")).with_for_update(key_share=True))
DOCUMENTS = Statement(select(_D.c.type, _D.c.sha256).where(_D.c.user_id == bindparam("user_id")).order_by(_D.c.type))
REQUEST = Statement(
    update(_U)
    .where(_U.c.id == bindparam("user_id"))
    .values(
        production_status=ProductionStatus.pending.value,
        production_requested_at=bindparam("now"),
        production_reviewed_at=None,
        production_reject_reason=None,
        updated_at=bindparam("now"),
    )
    .returning(*_COLUMNS)
)
SAVE_CHANGE = Statement(insert(_C).values({column.name: bindparam(column.name) for column in _C.c}))
_HINTS = {
    "company": "informe o nome da loja no perfil",
    "cnpj": "informe o CNPJ no perfil",
    "company_registration": "envie o contrato social ou outro registro da empresa",
    "responsible_document": "envie o documento do responsável",
    "proof_of_address": "envie o comprovante de endereço",
    "accept_production_terms": "aceite os termos de produção no perfil",
}


class StatusChange(Struct, frozen=True):
    """One change of a store's production status. `submitted`: the contents of a request."""

    store_id: str
    before: ProductionStatus
    after: ProductionStatus
    reason: str | None = None
    submitted: dict[str, Any] | None = None

    @property
    def changes(self) -> dict[str, Any]:
        """The changes for the audit record."""
        changes: dict[str, Any] = {"production_status": {"from": self.before, "to": self.after}}
        return changes | ({"reason": self.reason} if self.reason else {})


@operation("production.read", Permission.owner)
async def read_production(ctx: Context, _: Empty) -> ProductionView:
    """Read the store's status in the production review, and what it still lacks."""
    return ProductionView.of(ctx.actor.production.block())


@operation("production.request", Permission.owner)
async def request_production(ctx: Context, _: Empty) -> ProductionView:
    """Ask staff to approve the store for production. Raises `InvalidInput` with everything that is missing."""
    async with ctx.database.transaction() as transaction:
        store = await lock_store(transaction, ctx.store_id)
        # Read under the lock, which uploads take too, so that the request lists the stored documents.
        documents = {row["type"]: row["sha256"] for row in await transaction.all(DOCUMENTS, user_id=ctx.store_id)}
        production = Production.of(store | {"production_documents": list(documents)}, ctx.settings.terms_url)
        _require_complete(production)
        row = await transaction.single(REQUEST, user_id=ctx.store_id, now=ctx.real_clock.now())
        submitted = {"company": store["company"], "cnpj": store["cnpj"], "documents": documents}
        change = StatusChange(ctx.store_id, production.status, ProductionStatus.pending, submitted=submitted)
        await save_status_change(ctx, transaction, change)
        await record(ctx, transaction, "production.requested", ctx.store_id, changes=change.changes)
    production = Production.of(dict(row) | {"production_documents": list(documents)}, ctx.settings.terms_url)
    return ProductionView.of(production.block())


async def lock_store(transaction: Executor, store_id: str) -> dict[str, Any]:
    """The store's production columns, locked until the transaction ends."""
    return dict(await transaction.single(LOCK, user_id=store_id))


async def save_status_change(ctx: Context, transaction: Executor, change: StatusChange) -> None:
    """Insert a change and its actor into the history."""
    await transaction.run(
        SAVE_CHANGE,
        id=new_id(),
        user_id=change.store_id,
        from_status=change.before,
        to_status=change.after,
        reason=change.reason,
        submitted=change.submitted,
        actor_id=ctx.actor.user_id,
        actor_name=ctx.actor.name,
        created_at=ctx.real_clock.now(),
    )


def status_error(status: ProductionStatus) -> GatewayError:
    """The error for a store that can neither request a review nor send documents."""
    if status is ProductionStatus.pending:
        return UnderReview()
    if status is ProductionStatus.approved:
        return Conflict("Sua loja já está liberada para produção.")
    return Conflict("A operação em produção está suspensa; só a equipe do serviço pode reativá-la.")


def _require_complete(production: Production) -> None:
    if ProductionStatus.pending not in ALLOWED[production.status]:
        raise status_error(production.status)
    if production.missing:
        reasons = [(name, _hint(name, production.terms_url)) for name in production.missing]
        listed = "; ".join(f"{reason} ({name})" for name, reason in reasons)
        message = f"Antes de pedir a liberação: {listed}."
        raise InvalidInput(*reasons, message=message, producao=production.block())


def _hint(name: str, terms_url: str | None) -> str:
    address = f", que estão em {terms_url}" if terms_url and name == "accept_production_terms" else ""
    return f"{_HINTS[name]}{address}"
