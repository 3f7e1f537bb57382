"""Withdrawals in the hands of the service's staff: every store's, and the two decisions about one that is in flight.

The engine is looked at first. What has come to its end there ends so, whatever was decided; what it is still at can't
be declared done, and is taken back there before it is refused: money must not leave twice. Staff's word alone counts
only where the engine has no such transfer.
"""

from datetime import timedelta

from gateway.errors import Conflict, NotFound
from gateway.integrations.engines.port import Engine, EngineError, EngineRefused, EngineTransfer
from gateway.models.base import Environment
from gateway.models.database import Row
from gateway.models.engines import TransferState
from gateway.models.withdrawals import IN_FLIGHT, WithdrawalStatus, withdrawals
from gateway.resolvers.audit.trail import record
from gateway.resolvers.core.access import Permission
from gateway.resolvers.core.context import Context
from gateway.resolvers.core.listing.definition import Listing, equals
from gateway.resolvers.core.listing.exports import Export, export_of
from gateway.resolvers.core.listing.pages import page_of
from gateway.resolvers.core.operation import operation
from gateway.resolvers.core.views import Page
from gateway.resolvers.engine_failures import failed
from gateway.resolvers.receiving.accounts import account_by_id
from gateway.resolvers.staff.own_store import refuse_own_store
from gateway.resolvers.withdrawals.engine_side import look_up
from gateway.resolvers.withdrawals.inputs import CompleteWithdrawal, ListAllWithdrawals, RefuseWithdrawal
from gateway.resolvers.withdrawals.outcomes import Proof, apply, complete, find_withdrawal, reject
from gateway.resolvers.withdrawals.reading import FILTERS, MISSING, SEARCH
from gateway.resolvers.withdrawals.views import STAFF_COLUMNS, StaffWithdrawalView, WithdrawalView, withdrawal_view
from gateway.values.ids import Id, new_id

FRESH = timedelta(minutes=15)
"""How long an order that a bank's engine doesn't know may still be on its way there."""
OWN_STORE = "Ninguém decide sobre o saque da própria loja."
_W = withdrawals
ALL_WITHDRAWALS = Listing(
    withdrawals,
    STAFF_COLUMNS,
    scope=(),  # Staff sees every store.
    filters={
        **FILTERS,
        "store_id": equals(_W.c.user_id, "store_id"),
        "environment": {environment.value: _W.c.environment == environment.value for environment in Environment},
    },
    search=SEARCH,
)
_SETTLED = {
    WithdrawalStatus.completed: "Este saque já foi concluído.",
    WithdrawalStatus.rejected: "Este saque já foi recusado.",
}


@operation("staff.list_withdrawals", Permission.staff)
async def list_all_withdrawals(ctx: Context, asked: ListAllWithdrawals) -> Page[StaffWithdrawalView]:
    """List the withdrawals of all stores."""
    return await page_of(ctx, ALL_WITHDRAWALS, asked, StaffWithdrawalView.adopt)


@operation("staff.export_withdrawals", Permission.staff)
async def export_all_withdrawals(ctx: Context, asked: ListAllWithdrawals) -> Export:
    """Export the withdrawals of all stores."""
    await record(ctx, ctx.database, "withdrawal.exported", None)
    return export_of(ctx, ALL_WITHDRAWALS, asked, StaffWithdrawalView, "saques")


@operation("staff.complete_withdrawal", Permission.staff)
async def complete_withdrawal(ctx: Context, order: CompleteWithdrawal) -> WithdrawalView:
    """Declare a withdrawal done. Raises `Conflict` where the engine knows better, or it isn't in flight."""
    row = await _in_flight(ctx, order.id)
    engine = ctx.services.engines.of(row["environment"])
    held = await _held(ctx, engine, row)
    if held is not None and held.state is TransferState.pending:
        held = await _finished_without_a_bank(ctx, engine, row, held)
    if held is None:
        await complete(ctx, row, Proof(end_to_end_id=order.end_to_end_id))
    else:
        await apply(ctx, row, held)
    return await _as_decided(ctx, order.id, WithdrawalStatus.completed)


@operation("staff.refuse_withdrawal", Permission.staff)
async def refuse_withdrawal(ctx: Context, order: RefuseWithdrawal) -> WithdrawalView:
    """Refuse a withdrawal and tell the store why; its money is available again. Raises `Conflict` where the engine has
    carried it out, or it isn't in flight.
    """
    row = await _in_flight(ctx, order.id)
    engine = ctx.services.engines.of(row["environment"])
    held = await _held(ctx, engine, row)
    if held is None and engine.has_bank and ctx.real_clock.now() - row["created_at"] < FRESH:
        raise Conflict("O pedido acabou de ser enviado ao provedor, que ainda pode recebê-lo. Aguarde alguns minutos.")
    if held is not None and held.state is TransferState.pending:
        held = await _taken_back(ctx, engine, row, held)
    if held is not None and held.state is TransferState.done:
        await apply(ctx, row, held)
    else:
        await reject(ctx, row, order.motivo, engine_id=held.id if held else None)
    return await _as_decided(ctx, order.id, WithdrawalStatus.rejected)


async def _in_flight(ctx: Context, withdrawal_id: Id) -> Row:
    row = await find_withdrawal(ctx.database, withdrawal_id)
    if row is None:
        raise NotFound(MISSING)
    await refuse_own_store(ctx, row["user_id"], OWN_STORE)
    if row["status"] not in IN_FLIGHT:
        raise Conflict(_SETTLED.get(WithdrawalStatus(row["status"])))
    return row


async def _held(ctx: Context, engine: Engine, row: Row) -> EngineTransfer | None:
    """The transfer at the engine. None where it has none, and where another engine serves by now."""
    if engine.name != row["engine"]:
        return None
    try:
        return await look_up(ctx, row, await account_by_id(ctx, row["receiving_account_id"]))
    except EngineError as error:
        raise failed(error) from error


async def _finished_without_a_bank(ctx: Context, engine: Engine, row: Row, held: EngineTransfer) -> EngineTransfer:
    """Where there is no bank, staff is the bank speaking. Raises `Conflict` where there is one."""
    if engine.has_bank:
        raise Conflict("O provedor ainda está processando a transferência; o saque será concluído pelo aviso dele.")
    await engine.hear({"id": new_id(), "event": "TRANSFER_DONE", "transfer": {"id": held.id}})
    finished = await _held(ctx, engine, row)
    assert finished is not None, "it was there a moment ago"
    return finished


async def _taken_back(ctx: Context, engine: Engine, row: Row, held: EngineTransfer) -> EngineTransfer:
    """The transfer, taken back. Raises `Conflict` where the engine doesn't any more, and where it only says that it
    will: until then the money may still go out.
    """
    try:
        held = await engine.cancel_transfer(held.id, await account_by_id(ctx, row["receiving_account_id"]))
    except EngineRefused:
        raise Conflict("O provedor já não cancela esta transferência; aguarde o resultado dela.") from None
    except EngineError as error:
        raise failed(error) from error
    if held.state is TransferState.pending:
        raise Conflict("O provedor ainda não confirmou o cancelamento desta transferência; aguarde o resultado dela.")
    return held


async def _as_decided(ctx: Context, withdrawal_id: Id, wanted: WithdrawalStatus) -> WithdrawalView:
    """The withdrawal, which ended as it was decided. Raises `Conflict` where it ended otherwise."""
    row = await find_withdrawal(ctx.database, withdrawal_id)
    if row is None:  # The engine has just refused the order, and it is no withdrawal any more.
        raise NotFound(MISSING)
    if row["status"] != wanted:
        raise Conflict(
            _SETTLED.get(WithdrawalStatus(row["status"]), "O provedor informa outra coisa sobre este saque.")
        )
    return withdrawal_view(row)
