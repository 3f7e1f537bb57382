"""The billing job: every due subscription is charged in its own environment, once for each cycle.

    claim     lock a page of what is due, reserve its cycles, commit          due, charges.reserve
    ask       the engine makes the charges; no transaction is open            charges.engine_calls
    record    in one statement: charges, events, deliveries, audit, dates     recording

What somebody else held when its page was claimed is waited for at the end, one subscription at a time, so that nothing
is held meanwhile: a merchant who changes a subscription at that moment doesn't make it late.

A few pages are under way at a time, so memory is bounded and neither the engine nor the database waits for the other.
Everything that decides is in the database: a tick that was missed, a crash between any two steps, a second runner or a
clock that is an hour off neither skip a cycle nor double it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from gateway.integrations.engines.br_code import InvalidBrCode
from gateway.integrations.engines.errors import (
    EngineError,
    EngineMisconfigured,
    EngineOutcomeUnknown,
    EngineRefused,
)
from gateway.integrations.engines.interface import (
    Engine,
    EngineCharge,
    NewCharge,
)
from gateway.models.base import Environment
from gateway.models.database import Executor, LockNotAvailable, Row, Transaction, despite_deadlocks
from gateway.models.subscriptions import Interval
from gateway.resolvers.audit.trail import record
from gateway.resolvers.charges.charge_params import expiry_of
from gateway.resolvers.charges.engine_calls import (
    EngineResult,
    create_many_at_engine,
    engine_request,
    try_cancel_at_engine,
)
from gateway.resolvers.charges.recover_issuances import close_issuance
from gateway.resolvers.charges.reserve import issuance_row, reserve_cycles
from gateway.resolvers.clocks.own import own_clock
from gateway.resolvers.core.context import Context
from gateway.resolvers.engine_failures import record_account_refusals, refusal_message
from gateway.resolvers.receiving.account_for_charge import blocker, with_own_account
from gateway.resolvers.receiving.accounts import OwnAccount, find_store_accounts, load_accounts
from gateway.resolvers.subscriptions import leftovers
from gateway.resolvers.subscriptions.charging import plan_of
from gateway.resolvers.subscriptions.due import (
    BATCH,
    CLAIMED_PAGE,
    COUNT,
    HELD,
    HOLD,
    OWN_CLOCKS,
    PAGE,
    PASSED_OVER,
    WAIT_AT_MOST,
    Advance,
    Due,
    advanced,
    is_over,
    obstacle,
)
from gateway.resolvers.subscriptions.recording import Claim, Made, bear_cycles, unheld
from gateway.resolvers.subscriptions.releasing import Failure, fail, move_on, release, repair_undated, undated
from gateway.resolvers.subscriptions.scope import StoreScope
from gateway.resolvers.subscriptions.sole_runner import sole_runner
from gateway.resolvers.subscriptions.summary import BillingResult, BillingSummaryView, Tally
from gateway.settings import ReceivingMode
from gateway.values.clock import Clock
from gateway.values.ids import FIRST_ID, new_id

PAGES_UNDER_WAY = 5
"""Beside the one that is being claimed. With fewer, PostgreSQL and this process wait for each other."""
UNKNOWN = "O provedor de pagamentos não respondeu. A próxima execução confere antes de cobrar."
REFUSED = "O provedor de pagamentos recusou ou falhou."
BAD_CODE = "O provedor de pagamentos devolveu um código Pix inválido."
OVER = "A assinatura chegou ao fim."
BUSY = "A assinatura estava sendo alterada. A próxima execução cobra."
PATIENCE = timedelta(seconds=5)
"""How long a run waits for a subscription that somebody holds. One that it waited for in vain tells that something is
stuck: for the others that are held it then waits no longer than `A_MOMENT`.
"""
A_MOMENT = timedelta(milliseconds=10)
Find: TypeAlias = Callable[[Transaction], Awaitable[list[Row]]]
"""Finds due subscriptions and locks them, for as long as the transaction lasts."""
OwnAccounts: TypeAlias = Mapping[str, OwnAccount | None] | None
"""The receiving accounts of a page's stores; None in the receiving mode `conta_unica`, which has none."""


class Lock(Protocol):
    """What keeps others from doing the same work."""

    async def insist(self) -> None:
        """Raise where it has been lost: somebody else may be at work by now."""


class BillingOptions(Struct, frozen=True):
    """How to run. `as_of`: what was due at this moment counts as due, None for now. `at_once`: also try again what
    failed within the hour. `dry_run`: tell what would be done, and do nothing. `patience`: for one that somebody holds.
    """

    as_of: datetime | None = None
    dry_run: bool = False
    at_once: bool = True
    patience: timedelta = PATIENCE


async def bill(ctx: Context, options: BillingOptions, watch: Callable[[int], None] | None = None) -> BillingSummaryView:
    """Run the job. `watch` is told now and then how many subscriptions have been looked at. Raises `JobUnderway`."""
    ctx = ctx.timed_by(None)
    now = ctx.clock.now()
    run = _Run(ctx, options, now, options.as_of or now, Tally(watch))
    if options.dry_run:
        await run.rehearse()
    else:
        async with sole_runner(ctx.database) as lock:
            await run.go(lock)
        run.tally.observe()
    return run.tally.summary(now, ctx.clock.now())


async def count_due(ctx: Context, options: BillingOptions) -> int:
    """How many subscriptions a run would find due, for whoever shows its progress."""
    ctx = ctx.timed_by(None)
    now = ctx.clock.now()
    run = _Run(ctx, options, now, options.as_of or now, Tally())
    own = [each.due(Environment.test) for each in await run.own_clocks()]
    dues = [*(run.due(environment) for environment in Environment), *own]
    return sum([await ctx.database.value(COUNT.of(due.scope), **due.values()) for due in dues])


async def bill_store(ctx: Context, store_id: str, lock: Lock) -> None:
    """Charge what is due in the test environment of one store, by the clock of `ctx`, as the
    catch-up sweep does for all.
    """
    now = ctx.clock.now()
    run = _Run(ctx, BillingOptions(at_once=False), now, now, Tally(), store_id)
    await run.work(Environment.test, lock)
    run.tally.observe()


class _Page(Struct):
    """A page of due subscriptions that has been looked at, and what was counted of it."""

    rows: Sequence[Row]
    tally: Tally
    claims: list[Claim] = field(default_factory=list)


class _Run(Struct, frozen=True):
    ctx: Context
    options: BillingOptions
    now: datetime
    as_of: datetime
    tally: Tally
    store: str | None = None
    """The one store whose clock the run goes by; None for all that go by real time."""

    def scope(self, environment: Environment) -> StoreScope:
        return StoreScope(environment, self.store)

    def due(self, environment: Environment) -> Due:
        return Due(self.scope(environment), self.as_of, self.now, self.options.at_once)

    async def go(self, lock: Lock) -> None:
        # Test first: a bank that hangs must not keep it waiting.
        await self.work(Environment.test, lock)
        for own in await self.own_clocks():
            await own.work(Environment.test, lock)
        await self.work(Environment.live, lock)
        if self.tally.seen:
            await self._record()

    async def work(self, environment: Environment, lock: Lock) -> None:
        """Charge what is due in one environment."""
        engine = self.ctx.services.engines.of(environment)
        gate = asyncio.Semaphore(self.ctx.settings.billing_concurrency)
        await self._repair(environment)
        await self._finish_leftovers(environment, engine, gate)
        try:
            await self._bill(environment, engine, gate, lock)
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from failed

    async def rehearse(self) -> None:
        """Look at everything, and write nothing."""
        for environment in Environment:
            await self.look_through(environment)
        for own in await self.own_clocks():
            await own.look_through(Environment.test)

    async def own_clocks(self) -> "list[_Run]":
        """The same run for each store with a clock of its own for which there may be something to do."""
        real = self.ctx.real_clock
        rows = await self.ctx.database.all(OWN_CLOCKS, now=self.now, as_of=self.options.as_of)
        clocks = {row["store_id"]: own_clock(row, real) or real for row in rows}
        return [self._by(clock, store) for store, clock in clocks.items()]

    def _by(self, clock: Clock, store: str) -> "_Run":
        now = clock.now()
        return _Run(self.ctx.timed_by(clock), self.options, now, self.options.as_of or now, self.tally, store)

    async def look_through(self, environment: Environment) -> None:
        for interval in Interval:
            await self._rehearse_repair(environment, interval)
        due = self.due(environment)
        while rows := await self.ctx.database.all(PAGE.of(due.scope), **due.values()):
            own = await self._own_accounts(self.ctx.database, rows)
            for row in rows:
                self._judge(row, own)
            due = due.beyond(rows[-1])
            self.tally.tell()

    async def _repair(self, environment: Environment) -> None:
        scope = self.scope(environment)
        for interval in Interval:
            while ids := await repair_undated(self.ctx, scope, interval, max(self.now, self.as_of)):
                self._count_undated(ids)

    async def _rehearse_repair(self, environment: Environment, interval: Interval) -> None:
        after = FIRST_ID
        while ids := await undated(self.ctx, self.scope(environment), interval, after):
            self._count_undated(ids)
            after = ids[-1]

    def _count_undated(self, ids: Sequence[str]) -> None:
        for subscription_id in ids:
            self.tally.add(subscription_id, BillingResult.sem_data)
        self.tally.tell()

    async def _finish_leftovers(self, environment: Environment, engine: Engine, gate: asyncio.Semaphore) -> None:
        after = FIRST_ID
        while rows := await leftovers.take_over(self.ctx, self.scope(environment), after):
            after = rows[-1]["charge_id"]
            accounts = await load_accounts(self.ctx, (row["receiving_account_id"] for row in rows))
            found = await leftovers.look_up(engine, rows, accounts, self.as_of, gate)
            made = [Made(self._adopted(each), each.charge) for each in found if each.charge is not None]
            unknown = [each.row for each in found if each.unknown]
            await fail(self.ctx, self.ctx.database, [Failure(row["id"], UNKNOWN) for row in unknown])
            for row in unknown:
                self.tally.add(row["id"], BillingResult.falha, reason=UNKNOWN)
            for each in found:
                if each.paid:
                    await close_issuance(self.ctx, each.row, each.paid, "paid")
            await release(
                self.ctx.database,
                [each.row["charge_id"] for each in found if each.charge is None and not each.unknown],
            )
            await self._write(engine, made)

    def _adopted(self, found: leftovers.Found) -> Claim:
        """The claim of a leftover: on the account, and with the fee, that the engine was told of."""
        row = found.row
        claim = self._claim(row, row["charge_id"], row["attempts"])
        told = replace(
            claim.plan,
            receiving_account_id=row["receiving_account_id"],
            account=found.account,
            fee_amount=row["reserved_fee"],
        )
        return replace(claim, plan=told)

    async def _bill(self, environment: Environment, engine: Engine, gate: asyncio.Semaphore, lock: Lock) -> None:
        due = self.due(environment)
        await self._charge_all(self._pages(due, engine, lock), engine, gate)
        await self._charge_all(self._passed_over(due.untried(), engine, lock), engine, gate)

    async def _charge_all(self, pages: AsyncIterator[_Page], engine: Engine, gate: asyncio.Semaphore) -> None:
        # One store's pages come one after the other, so that a rehearsal tells the same story each time.
        room = asyncio.Semaphore(PAGES_UNDER_WAY if self.store is None else 1)
        async with asyncio.TaskGroup() as under_way:
            while True:
                await room.acquire()
                page = await anext(pages, None)
                if page is None:
                    break
                if page.claims:
                    task = under_way.create_task(self._charge(engine, page.claims, gate))
                    task.add_done_callback(lambda _task: room.release())
                else:
                    room.release()

    async def _pages(self, due: Due, engine: Engine, lock: Lock) -> AsyncIterator[_Page]:
        """Claim what is due, page by page, past what somebody else holds: another run,
        say, which then shares the work.
        """
        while True:
            page = await self._take_page(partial(_claimed, due), engine, lock)
            yield page
            if len(page.rows) < BATCH:
                return
            due = due.beyond(page.rows[-1])

    async def _passed_over(self, due: Due, engine: Engine, lock: Lock) -> AsyncIterator[_Page]:
        """Claim what somebody held, each by itself: whoever waits for one must hold no other."""
        patience = self.options.patience
        while rows := await self.ctx.database.all(PASSED_OVER.of(due.scope), **due.values()):
            for row in rows:
                try:
                    page = await self._take_page(partial(_waited_for, due, row["id"], patience), engine, lock)
                except LockNotAvailable:
                    patience = min(patience, A_MOMENT)
                    self.tally.add(row["id"], BillingResult.falha, reason=BUSY)
                else:
                    yield page
            due = due.beyond(rows[-1])

    async def _take_page(self, find: Find, engine: Engine, lock: Lock) -> _Page:
        """Claim the next page: what can be charged is reserved, and of the rest it is written why not."""
        await lock.insist()
        # Another run, which is only there when this one's lock was lost, may be writing down what
        # it has charged of this page.
        page = await despite_deadlocks(lambda: replace(self, tally=Tally()).claim_page(find, engine))
        self.tally.include(page.tally)
        self.tally.tell()
        return page

    async def claim_page(self, find: Find, engine: Engine) -> _Page:
        async with self.ctx.database.transaction() as transaction:
            rows = await find(transaction)
            own = await self._own_accounts(transaction, rows)
            page = _Page(rows, self.tally)
            failures, over = [], []
            for row in rows:
                reason = self._judge(row, own)
                if reason is None:
                    page.claims.append(self._placed(self._claim(row, new_id()), own))
                elif reason is OVER:
                    over.append((row, Advance(None, row["cycles_count"], over=True)))
                else:
                    failures.append(Failure(row["id"], reason))
            await fail(self.ctx, transaction, failures)
            await move_on(self.ctx, transaction, over, "subscription.ended")
            if page.claims:
                page.claims = await self._reserve(transaction, page.claims, engine)
        return page

    async def _reserve(self, transaction: Any, claims: list[Claim], engine: Engine) -> list[Claim]:
        rows = [issuance_row(self.ctx, claim.plan, claim.charge_id, engine) for claim in claims]
        outcome = await reserve_cycles(transaction, rows, engine_has_bank=engine.has_bank)
        charged = [claim for claim in claims if outcome[claim.charge_id] is False]
        await move_on(
            self.ctx, transaction, [(claim.row, _uncounted(claim)) for claim in charged], "subscription.rescheduled"
        )
        for claim in charged:
            self.tally.add(claim.row["id"], BillingResult.ja_cobrada)
        # What is neither reserved nor charged is a leftover that the engine can't tell of yet: it has been counted.
        return [claim for claim in claims if outcome[claim.charge_id]]

    def _claim(self, row: Row, charge_id: Any, attempts: int = 0) -> Claim:
        expires_at = expiry_of(self.ctx, None)
        plan = plan_of(row, store_name=row["store_name"], expires_at=expires_at, cycle=row["next_billing_at"])
        return Claim(charge_id, row, plan, advanced(row, max(self.now, self.as_of)), attempts)

    def _placed(self, claim: Claim, own: OwnAccounts) -> Claim:
        if own is None:
            return claim
        account = own[claim.plan.store_id]
        assert account is not None, "what is hindered isn't claimed"
        return replace(claim, plan=with_own_account(self.ctx.settings, claim.plan, account))

    async def _own_accounts(self, executor: Executor, rows: Sequence[Row]) -> OwnAccounts:
        if self.ctx.settings.receiving_mode is ReceivingMode.conta_unica or not rows:
            return None
        stores = (row["user_id"] for row in rows)
        return await find_store_accounts(self.ctx, stores, rows[0]["environment"], executor)

    def _judge(self, row: Row, own: OwnAccounts) -> str | None:
        """Why the subscription isn't charged, counted; None where it can be. A rehearsal counts that, too."""
        if is_over(row):
            self.tally.add(row["id"], BillingResult.encerrada, reason=OVER)
            return OVER
        reason = obstacle(row) or (None if own is None else blocker(own, row["user_id"]))
        if reason is not None:
            self.tally.add(row["id"], BillingResult.falha, reason=reason)
        elif self.options.dry_run:
            self.tally.add(row["id"], BillingResult.cobrada)
        return reason

    async def _charge(self, engine: Engine, claims: list[Claim], gate: asyncio.Semaphore) -> None:
        """Let the engine make the charges of a page, and write down what came of it."""
        wanted = [engine_request(claim.plan, claim.charge_id) for claim in claims]
        answers = await _answers(engine, wanted, gate)
        made = [
            Made(claim, answer)
            for claim, answer in zip(claims, answers, strict=True)
            if isinstance(answer, EngineCharge)
        ]
        failures = [
            _failure(claim, answer)
            for claim, answer in zip(claims, answers, strict=True)
            if not isinstance(answer, EngineCharge)
        ]
        await fail(self.ctx, self.ctx.database, failures)
        refused = [
            (claim.plan.account, answer)
            for claim, answer in zip(claims, answers, strict=True)
            if isinstance(answer, Exception)
        ]
        await record_account_refusals(self.ctx, engine, claims[0].plan.environment, refused)
        for failure in failures:
            self.tally.add(failure.subscription_id, BillingResult.falha, reason=failure.reason)
        await self._write(engine, made)

    async def _write(self, engine: Engine, made: list[Made]) -> None:
        if not made:
            return
        born = await bear_cycles(self.ctx, engine, made)
        for each in made:
            claim = each.claim
            if claim.charge_id in born:
                self.tally.add(claim.row["id"], BillingResult.cobrada, charge_id=claim.charge_id)
            else:
                self.tally.add(claim.row["id"], BillingResult.ja_cobrada)
        # Another runner has taken these over. What it hasn't adopted, nobody shall pay.
        lost = [each for each in made if each.claim.charge_id not in born]
        for each in await unheld(self.ctx, lost):
            await try_cancel_at_engine(engine, each.charge.id, each.claim.plan.account)
        self.tally.tell()

    async def _record(self) -> None:
        """Audit the run itself; the acts have records of their own."""
        counts = {result.value: count for result, count in self.tally.counts.items() if count}
        changes = {"as_of": self.as_of.isoformat(), "counts": counts}
        await record(self.ctx, self.ctx.database, "subscriptions.billed", None, changes=changes)


async def _claimed(due: Due, transaction: Transaction) -> list[Row]:
    return await transaction.all(CLAIMED_PAGE.of(due.scope), **due.values())


async def _waited_for(due: Due, subscription_id: str, patience: timedelta, transaction: Transaction) -> list[Row]:
    """The subscription, if it is still due when its holder has let go. Raises `LockNotAvailable`."""
    await transaction.value(WAIT_AT_MOST, patience=f"{patience // timedelta(milliseconds=1)}ms")
    await transaction.value(HOLD, id=subscription_id)
    return await transaction.all(HELD.of(due.scope), **due.values(), id=subscription_id)


async def _answers(engine: Engine, wanted: Sequence[NewCharge], gate: asyncio.Semaphore) -> list[EngineResult]:
    try:
        return await create_many_at_engine(engine, wanted, gate)
    except EngineError as error:
        # It concerned them all, and nobody knows how far it got.
        return [EngineOutcomeUnknown(str(error))] * len(wanted)


def _failure(claim: Claim, answer: EngineError | InvalidBrCode) -> Failure:
    if isinstance(answer, EngineOutcomeUnknown):
        return Failure(claim.row["id"], UNKNOWN)
    return Failure(claim.row["id"], _reason(answer), claim.charge_id)


def _reason(answer: EngineError | InvalidBrCode) -> str:
    if isinstance(answer, InvalidBrCode):
        return BAD_CODE
    if isinstance(answer, EngineRefused) and (answer.reason or isinstance(answer, EngineMisconfigured)):
        return refusal_message(answer)
    return REFUSED


def _uncounted(claim: Claim) -> Advance:
    """The next date of a subscription whose cycle was counted when it was charged."""
    count: Mapping[str, Any] = claim.row
    return Advance(claim.advance.next_billing_at, count["cycles_count"], claim.advance.over)
