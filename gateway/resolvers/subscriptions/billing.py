"""Charge every due subscription in its environment, once for each cycle (ADR 0019).

    recover   finish the cycles that an earlier run reserved                      recover_cycles
    claim     lock a page of due subscriptions, reserve their cycles, commit      due, reserve_cycles
    create    the engine creates the charges, with no transaction open            charges.engine_calls
    record    insert charges, events, deliveries and audit in one statement       record_cycles

A claim skips locked subscriptions. The end of the run waits for each of them alone, so that it holds no other lock
meanwhile. A few pages are in progress at a time: memory is bounded, and the engine and the database work in parallel.
The database decides everything: neither a missed run, nor a crash, nor a second run skips or doubles a cycle.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol, Self, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from gateway.integrations.engines.br_code import InvalidBrCode
from gateway.integrations.engines.errors import EngineError, EngineMisconfigured, EngineOutcomeUnknown, EngineRefused
from gateway.integrations.engines.interface import Engine, EngineCharge
from gateway.models.base import Environment
from gateway.models.database import Executor, LockNotAvailable, Row, Transaction, retry_on_deadlock
from gateway.resolvers.audit.audit_log import record
from gateway.resolvers.charges.charge_params import expiry_of
from gateway.resolvers.charges.engine_calls import create_many_at_engine, try_cancel_at_engine
from gateway.resolvers.charges.recover_issuances import close_issuance
from gateway.resolvers.charges.reserve import issuance_row
from gateway.resolvers.clocks.store_clock import store_clock
from gateway.resolvers.core.concurrency import run_concurrently
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import record_account_refusals, refusal_message
from gateway.resolvers.receiving.account_for_charge import blocker, with_own_account
from gateway.resolvers.receiving.accounts import OwnAccount, find_store_accounts, load_accounts
from gateway.resolvers.subscriptions.charge import charge_params
from gateway.resolvers.subscriptions.due import (
    CLAIMED_PAGE,
    LOCK,
    LOCKED,
    PAGE,
    PAGE_SIZE,
    SET_LOCK_TIMEOUT,
    SKIPPED,
    STORES_WITH_CLOCKS,
    Due,
    NextCycle,
    StoreScope,
    blocking_reason,
    has_ended,
    next_cycle,
)
from gateway.resolvers.subscriptions.record_cycles import (
    ClaimedCycle,
    CreatedCharge,
    find_orphaned,
    insert_cycle_charges,
)
from gateway.resolvers.subscriptions.recover_cycles import RecoveredCycle, look_up, take_over
from gateway.resolvers.subscriptions.reserve_cycles import reserve_cycles
from gateway.resolvers.subscriptions.summary import BillingCounts, BillingResult
from gateway.resolvers.subscriptions.update_schedule import (
    Failure,
    advance_subscriptions,
    find_without_date,
    release_cycles,
    set_missing_dates,
    store_failures,
)
from gateway.settings import ReceivingMode
from gateway.values.ids import FIRST_ID, Id, new_id, new_txid

PAGES_IN_PROGRESS = 5
"""Besides the page that is being claimed."""
UNKNOWN = "O provedor de pagamentos não respondeu. A próxima execução confere antes de cobrar."
REFUSED = "O provedor de pagamentos recusou ou falhou."
BAD_CODE = "O provedor de pagamentos devolveu um código Pix inválido."
ENDED = "A assinatura chegou ao fim."
BUSY = "A assinatura estava sendo alterada. A próxima execução cobra."
LOCK_TIMEOUT = timedelta(seconds=5)
MIN_LOCK_TIMEOUT = timedelta(milliseconds=10)
"""After a first lock timeout: something is stuck, and the run must not wait for each of many subscriptions."""
Find: TypeAlias = Callable[[Transaction], Awaitable[list[Row]]]
"""Finds due subscriptions and locks them until the end of the transaction."""
OwnAccounts: TypeAlias = Mapping[str, OwnAccount | None] | None
"""The receiving accounts of a page's stores; None in the receiving mode `conta_unica`, which has none."""


class Lock(Protocol):
    """The lock that lets one run at a time work."""

    async def verify(self) -> None:
        """Raise if the lock is lost: another run may be working."""


class BillingOptions(Struct, frozen=True):
    """How to run. `as_of`: the time that decides what is due, None for now. `retry_failed`: also retry what failed
    within the last hour. `dry_run`: count only. `lock_timeout`: how long to wait for a locked subscription.
    """

    as_of: datetime | None = None
    dry_run: bool = False
    retry_failed: bool = True
    lock_timeout: timedelta = LOCK_TIMEOUT


class _Page(Struct):
    """A page of due subscriptions, its claimed cycles and its counts."""

    rows: Sequence[Row]
    counts: BillingCounts
    claims: list[ClaimedCycle] = field(default_factory=list)


class BillingRun(Struct, frozen=True):
    """One run of the job. `store`: the one store whose clock it uses; None for all that use the real clock."""

    ctx: Context
    options: BillingOptions
    now: datetime
    as_of: datetime
    counts: BillingCounts
    store: str | None = None

    @classmethod
    def of(
        cls, ctx: Context, options: BillingOptions, counts: BillingCounts | None = None, store: str | None = None
    ) -> Self:
        """A run at the time of the context's clock."""
        now = ctx.clock.now()
        return cls(ctx, options, now, options.as_of or now, counts or BillingCounts(), store)

    def scope(self, environment: Environment) -> StoreScope:
        return StoreScope(environment, self.store)

    def due(self, environment: Environment) -> Due:
        return Due(self.scope(environment), self.as_of, self.now, self.options.retry_failed)

    async def run(self, lock: Lock) -> None:
        # Test first: a slow bank must not delay it.
        await self.bill_environment(Environment.test, lock)
        for own in await self.runs_by_store_clocks():
            await own.bill_environment(Environment.test, lock)
        await self.bill_environment(Environment.live, lock)
        if self.counts.total:
            await self._audit()

    async def run_dry(self) -> None:
        """Count what a run would do. Writes nothing."""
        for environment in Environment:
            await self.count_environment(environment)
        for own in await self.runs_by_store_clocks():
            await own.count_environment(Environment.test)

    async def runs_by_store_clocks(self) -> "list[BillingRun]":
        """The same run for each store with its own clock that may have something due."""
        real = self.ctx.real_clock
        rows = await self.ctx.database.all(STORES_WITH_CLOCKS, now=self.now, as_of=self.options.as_of)
        timed = [(self.ctx.timed_by(store_clock(row, real) or real), row["store_id"]) for row in rows]
        return [BillingRun.of(ctx, self.options, self.counts, store) for ctx, store in timed]

    async def bill_environment(self, environment: Environment, lock: Lock) -> None:
        """Charge what is due in one environment."""
        engine = self.ctx.services.engines.of(environment)
        gate = asyncio.Semaphore(self.ctx.settings.billing_concurrency)
        while ids := await set_missing_dates(self.ctx, self.scope(environment), max(self.now, self.as_of)):
            self._count_without_date(ids)
        await self._recover_cycles(environment, engine, gate)
        due = self.due(environment)
        await self._charge_all(self._claim_pages(due, engine, lock), engine, gate)
        await self._charge_all(self._claim_skipped(due.not_attempted(), engine, lock), engine, gate)

    async def count_environment(self, environment: Environment) -> None:
        after = FIRST_ID
        while ids := await find_without_date(self.ctx, self.scope(environment), after):
            self._count_without_date(ids)
            after = ids[-1]
        due = self.due(environment)
        while rows := await self.ctx.database.all(PAGE.of(due.scope), **due.values()):
            own = await self._own_accounts(self.ctx.database, rows)
            for row in rows:
                self._check(row, own)
            due = due.beyond(rows[-1])
            self.counts.report_progress()

    def _count_without_date(self, ids: Sequence[str]) -> None:
        for subscription_id in ids:
            self.counts.add(subscription_id, BillingResult.sem_data)
        self.counts.report_progress()

    async def _recover_cycles(self, environment: Environment, engine: Engine, gate: asyncio.Semaphore) -> None:
        """Finish the cycles that an earlier run reserved and didn't record."""
        after = FIRST_ID
        while rows := await take_over(self.ctx, self.scope(environment), after):
            after = rows[-1]["charge_id"]
            accounts = await load_accounts(self.ctx, (row["receiving_account_id"] for row in rows))
            recovered = await look_up(engine, rows, accounts, self.as_of, gate)
            unknown = [each.row for each in recovered if each.unknown]
            await store_failures(self.ctx, self.ctx.database, [Failure(row["id"], UNKNOWN) for row in unknown])
            for row in unknown:
                self.counts.add(row["id"], BillingResult.falha, reason=UNKNOWN)
            for each in recovered:
                if each.paid:
                    await close_issuance(self.ctx, each.row, each.paid, "paid")
            ended = [each.row for each in recovered if each.charge is None and not each.unknown]
            await release_cycles(self.ctx.database, [(row["charge_id"], row["attempts"]) for row in ended])
            created = [CreatedCharge(self._adopt(each), each.charge) for each in recovered if each.charge is not None]
            await self._record(engine, created)

    def _adopt(self, recovered: RecoveredCycle) -> ClaimedCycle:
        """The claim of a recovered cycle, with the account and the fee that the engine got."""
        row = recovered.row
        claim = self._claim(row, row["charge_id"], row["txid"], row["attempts"])
        sent = {
            "receiving_account_id": row["receiving_account_id"],
            "account": recovered.account,
            "fee_amount": row["reserved_fee"],
        }
        return replace(claim, params=replace(claim.params, **sent))

    async def _charge_all(self, pages: AsyncIterator[_Page], engine: Engine, gate: asyncio.Semaphore) -> None:
        # A store with its own clock has one page at a time, so that each run of its advance has the same order.
        in_progress = PAGES_IN_PROGRESS if self.store is None else 1
        turn = asyncio.Lock()

        async def charge_pages() -> None:
            while True:
                async with turn:
                    page = await anext(pages, None)
                if page is None:
                    return
                if page.claims:
                    await self._charge(engine, page.claims, gate)

        await run_concurrently(charge_pages() for _ in range(in_progress))

    async def _claim_pages(self, due: Due, engine: Engine, lock: Lock) -> AsyncIterator[_Page]:
        """Claim what is due, page by page. Skips what other transactions have locked."""
        while True:
            page = await self._claim_page(partial(_find_page, due), engine, lock)
            yield page
            if len(page.rows) < PAGE_SIZE:
                return
            due = due.beyond(page.rows[-1])

    async def _claim_skipped(self, due: Due, engine: Engine, lock: Lock) -> AsyncIterator[_Page]:
        """Wait for skipped subscriptions one by one: a transaction that waits must hold no other lock."""
        timeout = self.options.lock_timeout
        while rows := await self.ctx.database.all(SKIPPED.of(due.scope), **due.values()):
            for row in rows:
                try:
                    page = await self._claim_page(partial(_wait_for, due, row["id"], timeout), engine, lock)
                except LockNotAvailable:
                    timeout = min(timeout, MIN_LOCK_TIMEOUT)
                    self.counts.add(row["id"], BillingResult.falha, reason=BUSY)
                else:
                    yield page
            due = due.beyond(rows[-1])

    async def _claim_page(self, find: Find, engine: Engine, lock: Lock) -> _Page:
        """Reserve the cycles of a page, and store the reasons of those that can't be charged."""
        await lock.verify()
        # Without the lock, another run may be recording this page.
        page = await retry_on_deadlock(lambda: replace(self, counts=BillingCounts()).claim(find, engine))
        self.counts.include(page.counts)
        self.counts.report_progress()
        return page

    async def claim(self, find: Find, engine: Engine) -> _Page:
        async with self.ctx.database.transaction() as transaction:
            rows = await find(transaction)
            own = await self._own_accounts(transaction, rows)
            page = _Page(rows, self.counts)
            failures, ended = [], []
            for row in rows:
                reason = self._check(row, own)
                if reason is None:
                    page.claims.append(self._with_account(self._new_claim(row), own))
                elif reason is ENDED:
                    ended.append((row, NextCycle(None, row["cycles_count"], ended=True)))
                else:
                    failures.append(Failure(row["id"], reason))
            await store_failures(self.ctx, transaction, failures)
            await advance_subscriptions(self.ctx, transaction, ended, "subscription.ended")
            if page.claims:
                page.claims = await self._reserve(transaction, page.claims, engine)
        return page

    async def _reserve(
        self, transaction: Transaction, claims: list[ClaimedCycle], engine: Engine
    ) -> list[ClaimedCycle]:
        rows = [issuance_row(self.ctx, claim.params, claim.charge_id, claim.txid, engine) for claim in claims]
        outcome = await reserve_cycles(transaction, rows, durable=engine.has_bank)
        charged = [claim for claim in claims if outcome[claim.charge_id] is False]
        time = max(self.now, self.as_of)
        moves = [(claim.row, next_cycle(claim.row, time, counted=True)) for claim in charged]
        await advance_subscriptions(self.ctx, transaction, moves, "subscription.rescheduled")
        for claim in charged:
            self.counts.add(claim.row["id"], BillingResult.ja_cobrada)
        # The rest is neither reserved nor charged: the recovery counted it as unknown.
        return [claim for claim in claims if outcome[claim.charge_id]]

    def _new_claim(self, row: Row) -> ClaimedCycle:
        charge_id = new_id()
        return self._claim(row, charge_id, new_txid(charge_id))

    def _claim(self, row: Row, charge_id: Id, txid: str, attempts: int = 0) -> ClaimedCycle:
        expires_at = expiry_of(self.ctx, None)
        params = charge_params(row, store_name=row["store_name"], expires_at=expires_at, cycle=row["next_billing_at"])
        return ClaimedCycle(charge_id, txid, row, params, next_cycle(row, max(self.now, self.as_of)), attempts)

    def _with_account(self, claim: ClaimedCycle, own: OwnAccounts) -> ClaimedCycle:
        if own is None:
            return claim
        account = own[claim.params.store_id]
        assert account is not None, "_check refuses a store without an account"
        return replace(claim, params=with_own_account(self.ctx.settings, claim.params, account))

    async def _own_accounts(self, executor: Executor, rows: Sequence[Row]) -> OwnAccounts:
        if self.ctx.settings.receiving_mode is ReceivingMode.conta_unica or not rows:
            return None
        stores = (row["user_id"] for row in rows)
        return await find_store_accounts(self.ctx, stores, rows[0]["environment"], executor)

    def _check(self, row: Row, own: OwnAccounts) -> str | None:
        """Why the subscription isn't charged, counted, or None. A dry run also counts those to charge."""
        if has_ended(row):
            self.counts.add(row["id"], BillingResult.encerrada, reason=ENDED)
            return ENDED
        reason = blocking_reason(row) or (None if own is None else blocker(own, row["user_id"]))
        if reason is not None:
            self.counts.add(row["id"], BillingResult.falha, reason=reason)
        elif self.options.dry_run:
            self.counts.add(row["id"], BillingResult.cobrada)
        return reason

    async def _charge(self, engine: Engine, claims: list[ClaimedCycle], gate: asyncio.Semaphore) -> None:
        """Create the charges of a page at the engine, and record the results."""
        results = await create_many_at_engine(
            engine, [claim.params.engine_request(claim.charge_id, claim.txid) for claim in claims], gate
        )
        created, failures, refused = [], [], []
        for claim, result in zip(claims, results, strict=True):
            if isinstance(result, EngineCharge):
                created.append(CreatedCharge(claim, result))
            else:
                failures.append(_failure(claim, result))
                refused.append((claim.params.account, result))
        await store_failures(self.ctx, self.ctx.database, failures)
        await record_account_refusals(self.ctx, engine, claims[0].params.environment, refused)
        for failure in failures:
            self.counts.add(failure.subscription_id, BillingResult.falha, reason=failure.reason)
        await self._record(engine, created)

    async def _record(self, engine: Engine, created: list[CreatedCharge]) -> None:
        if not created:
            return
        inserted = await insert_cycle_charges(self.ctx, engine, created)
        for each in created:
            claim = each.claim
            if claim.charge_id in inserted:
                self.counts.add(claim.row["id"], BillingResult.cobrada, charge_id=claim.charge_id)
            else:
                self.counts.add(claim.row["id"], BillingResult.ja_cobrada)
        # Another run has taken these over: cancel at the engine what it can't adopt.
        lost = [each for each in created if each.claim.charge_id not in inserted]
        for each in await find_orphaned(self.ctx, lost):
            await try_cancel_at_engine(engine, each.charge.id, each.claim.params.account)
        self.counts.report_progress()

    async def _audit(self) -> None:
        counts = {result.value: count for result, count in self.counts.counts.items() if count}
        changes = {"as_of": self.as_of.isoformat(), "counts": counts}
        await record(self.ctx, self.ctx.database, "subscriptions.billed", None, changes=changes)


async def _find_page(due: Due, transaction: Transaction) -> list[Row]:
    return await transaction.all(CLAIMED_PAGE.of(due.scope), **due.values())


async def _wait_for(due: Due, subscription_id: str, lock_timeout: timedelta, transaction: Transaction) -> list[Row]:
    """Lock the subscription, and read it if it is still due. Raises `LockNotAvailable`."""
    await transaction.value(SET_LOCK_TIMEOUT, lock_timeout=f"{lock_timeout // timedelta(milliseconds=1)}ms")
    await transaction.value(LOCK, id=subscription_id)
    return await transaction.all(LOCKED.of(due.scope), **due.values(), id=subscription_id)


def _failure(claim: ClaimedCycle, error: EngineError | InvalidBrCode) -> Failure:
    subscription_id = claim.row["id"]
    if isinstance(error, EngineOutcomeUnknown):
        return Failure(subscription_id, UNKNOWN)
    if isinstance(error, InvalidBrCode):
        return Failure(subscription_id, BAD_CODE, claim.charge_id)
    if isinstance(error, EngineRefused) and (error.reason or isinstance(error, EngineMisconfigured)):
        return Failure(subscription_id, refusal_message(error), claim.charge_id)
    return Failure(subscription_id, REFUSED, claim.charge_id)
