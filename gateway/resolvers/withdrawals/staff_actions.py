"""Staff's view of all withdrawals, and the two actions on one in flight: complete and refuse.

The transfer is read at the engine first. A final state there decides. A pending transfer cannot be completed by staff,
and is canceled at the engine before it is refused, so money never leaves twice. Staff alone decides only where the
engine has no such transfer.
"""

from datetime import timedelta

from sqlalchemy import bindparam, select

from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.errors import EngineError, EngineRefused
from gateway.integrations.engines.interface import Engine, EngineTransfer
from gateway.models.base import Environment
from gateway.models.database import Row, Statement
from gateway.models.engines import TransferState
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus, withdrawals
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, equals, one_of
from gateway.resolvers.core.listing.exports import Export, ExportTable, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.engine_failures import engine_failure
from gateway.resolvers.receiving.accounts import load_account
from gateway.resolvers.staff.access import refuse_own_store
from gateway.resolvers.withdrawals.read import FILTERS, MISSING, SEARCH
from gateway.resolvers.withdrawals.transitions import (
    CompletedTransfer,
    apply_transfer,
    fetch_transfer,
    find_withdrawal,
    mark_completed,
    mark_rejected,
)
from gateway.resolvers.withdrawals.types import (
    STAFF_COLUMNS,
    CompleteWithdrawal,
    ListAllWithdrawals,
    RefuseWithdrawal,
    StaffWithdrawalView,
    WhichWithdrawal,
    WithdrawalView,
    withdrawal_view,
)
from gateway.values.ids import Id, new_id

NEW_ORDER_AGE = timedelta(minutes=15)
"""Until this age, an order that the bank does not find may still be on its way."""
OWN_STORE = "Ninguém decide sobre o saque da própria loja."
_W = withdrawals
ALL_WITHDRAWALS = Listing(
    withdrawals,
    STAFF_COLUMNS,
    scope=(),  # Staff sees every store.
    filters={
        **FILTERS,
        "store_id": equals(_W.c.user_id, "store_id"),
        "environment": one_of(_W.c.environment, Environment),
    },
    search=SEARCH,
)
ONE = Statement(select(*STAFF_COLUMNS).where(_W.c.id == bindparam("id")))
_FINAL = {
    WithdrawalStatus.completed: "Este saque já foi concluído.",
    WithdrawalStatus.rejected: "Este saque já foi recusado.",
}


@operation("staff.list_withdrawals", Permission.staff)
async def list_all_withdrawals(ctx: Context, query: ListAllWithdrawals) -> Page[StaffWithdrawalView]:
    """List the withdrawals of all stores."""
    return await page_of(ctx, ALL_WITHDRAWALS, query, StaffWithdrawalView.adopt)


@operation("staff.read_withdrawal", Permission.staff)
async def read_store_withdrawal(ctx: Context, which: WhichWithdrawal) -> StaffWithdrawalView:
    """Read one withdrawal of any store."""
    row = await ctx.database.one(ONE, id=which.id)
    if row is None:
        raise NotFound(MISSING)
    return StaffWithdrawalView.of(row)


EXPORTED = ExportTable.of("saques", StaffWithdrawalView)


@operation("staff.export_withdrawals", Permission.staff, table=EXPORTED)
async def export_all_withdrawals(ctx: Context, query: ListAllWithdrawals) -> Export:
    """Export the withdrawals of all stores."""
    return await export_of(ctx, ALL_WITHDRAWALS, query, EXPORTED, "withdrawal.exported")


@operation("staff.complete_withdrawal", Permission.staff)
async def complete_withdrawal(ctx: Context, order: CompleteWithdrawal) -> WithdrawalView:
    """Mark a withdrawal completed. Raises `Conflict` where the engine says otherwise, or it isn't in flight."""
    row = await _require_in_flight(ctx, order.id)
    engine = ctx.services.engines.of(row["environment"])
    transfer = await _fetch(ctx, engine, row)
    if transfer is not None and transfer.state is TransferState.pending:
        transfer = await _finish_at_simulator(ctx, engine, row, transfer)
    if transfer is None:
        await mark_completed(ctx, row, CompletedTransfer(end_to_end_id=order.end_to_end_id))
    else:
        await apply_transfer(ctx, row, transfer)
    return await _require_status(ctx, order.id, WithdrawalStatus.completed)


@operation("staff.refuse_withdrawal", Permission.staff)
async def refuse_withdrawal(ctx: Context, order: RefuseWithdrawal) -> WithdrawalView:
    """Refuse a withdrawal with a reason for the store; its amount is available again. Raises `Conflict` where the
    engine has carried it out, or it isn't in flight.
    """
    row = await _require_in_flight(ctx, order.id)
    engine = ctx.services.engines.of(row["environment"])
    transfer = await _fetch(ctx, engine, row)
    if transfer is None and engine.has_bank and ctx.real_clock.now() - row["created_at"] < NEW_ORDER_AGE:
        raise Conflict("O pedido acabou de ser enviado ao provedor, que ainda pode recebê-lo. Aguarde alguns minutos.")
    if transfer is not None and transfer.state is TransferState.pending:
        transfer = await _cancel_at_engine(ctx, engine, row, transfer)
    if transfer is not None and transfer.state is TransferState.done:
        await apply_transfer(ctx, row, transfer)
    else:
        await mark_rejected(ctx, row, order.motivo, engine_id=transfer.id if transfer else None)
    return await _require_status(ctx, order.id, WithdrawalStatus.rejected)


async def _require_in_flight(ctx: Context, withdrawal_id: Id) -> Row:
    row = await find_withdrawal(ctx.database, withdrawal_id)
    if row is None:
        raise NotFound(MISSING)
    await refuse_own_store(ctx, row["user_id"], OWN_STORE)
    if row["status"] not in IN_FLIGHT:
        raise Conflict(_FINAL.get(WithdrawalStatus(row["status"])))
    return row


async def _fetch(ctx: Context, engine: Engine, row: Row) -> EngineTransfer | None:
    """The transfer at the engine. None where it has none, or another engine serves the environment now."""
    if engine.name != row["engine"]:
        return None
    try:
        return await fetch_transfer(ctx, row, await load_account(ctx, row["receiving_account_id"]))
    except EngineError as error:
        raise engine_failure(error) from error


async def _finish_at_simulator(ctx: Context, engine: Engine, row: Row, transfer: EngineTransfer) -> EngineTransfer:
    """Finish the transfer at the simulator, which has no bank to do it. Raises `Conflict` at any other engine."""
    if engine.has_bank:
        raise Conflict("O provedor ainda está processando a transferência; o saque será concluído pelo aviso dele.")
    await engine.apply_notification({"id": new_id(), "event": "TRANSFER_DONE", "transfer": {"id": transfer.id}})
    finished = await _fetch(ctx, engine, row)
    assert finished is not None, "transfers are never deleted"
    return finished


async def _cancel_at_engine(ctx: Context, engine: Engine, row: Row, transfer: EngineTransfer) -> EngineTransfer:
    """Cancel the transfer at the engine. Raises `Conflict` where it refuses, or has not confirmed the cancellation: the
    money may still leave.
    """
    try:
        transfer = await engine.cancel_transfer(transfer.id, await load_account(ctx, row["receiving_account_id"]))
    except EngineRefused:
        raise Conflict("O provedor já não cancela esta transferência; aguarde o resultado dela.") from None
    except EngineError as error:
        raise engine_failure(error) from error
    if transfer.state is TransferState.pending:
        raise Conflict("O provedor ainda não confirmou o cancelamento desta transferência; aguarde o resultado dela.")
    return transfer


async def _require_status(ctx: Context, withdrawal_id: Id, status: WithdrawalStatus) -> WithdrawalView:
    """The withdrawal. Raises `Conflict` where it has another status."""
    row = await find_withdrawal(ctx.database, withdrawal_id)
    if row is None:  # The engine has refused the order meanwhile, which deletes the withdrawal.
        raise NotFound(MISSING)
    if row["status"] != status:
        raise Conflict(_FINAL.get(WithdrawalStatus(row["status"]), "O provedor informa outra coisa sobre este saque."))
    return withdrawal_view(row)
