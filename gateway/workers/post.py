"""The postman: brings mails that are due to the relay, some side by side, each at most once.

It needs PostgreSQL and the relay, and no hint from anybody: it looks every second. While a relay is spoken to, neither
a transaction nor a connection to the database is held.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from msgspec import Struct, field

from gateway.integrations.smtp.client import (
    Connection,
    MessageDeferred,
    MessageRejected,
    OutcomeUnknown,
    Relay,
    RelayError,
)
from gateway.models.database import DatabaseUnavailable
from gateway.models.emails import EmailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.email.claims import (
    DISCONNECT_DELAY_SECONDS,
    LEASE,
    SENDING_LEASE,
    Claim,
    SendResult,
    claim_emails,
    mark_sending,
    record_result,
    release,
    retry_later,
)
from gateway.resolvers.email.rendering import RenderedEmail, render
from gateway.telemetry import MAIL_RELAY, MAILS, log
from gateway.workers.patience import Patience


class PostPace(Struct, frozen=True):
    """How much at once, and how often. Seconds, where nothing else is said.

    `conversations`: connections to the relay side by side; `bag`: mails that one of them takes along. `drain`: what is
    under way gets this long when the worker stops. `scale` multiplies the delays of mails that were put off, for tests.
    """

    conversations: int = 4
    bag: int = 8
    poll: float = 1.0
    lease: timedelta = LEASE
    hand_over_lease: timedelta = SENDING_LEASE
    drain: float = 15.0
    patience: tuple[float, float] = (5.0, 300.0)
    scale: float = 1.0


class Round(Struct):
    """What one round has come to."""

    settled: int = 0
    fault: RelayError | None = None
    failures: list[BaseException] = field(default_factory=list)


class Postman:
    """Runs until it is told to stop."""

    def __init__(self, ctx: Context, relay: Relay, pace: PostPace | None = None) -> None:
        self._ctx = ctx
        self._relay = relay
        self._pace = pace or PostPace()
        self._stopping = asyncio.Event()
        self._patience = Patience(*self._pace.patience)

    def stop(self) -> None:
        """Claim no more; `run` returns when what is under way has ended, or was given back."""
        self._stopping.set()

    async def run(self) -> None:
        working = asyncio.create_task(self._work(), name="postman")
        working.add_done_callback(lambda _: self._stopping.set())  # Before it is told to stop, only a failure ends it.
        await self._stopping.wait()
        _, late = await asyncio.wait([working], timeout=self._pace.drain)
        for task in late:
            task.cancel()
        await asyncio.gather(working, return_exceptions=True)
        if not late:
            working.result()

    async def _work(self) -> None:
        while not self._stopping.is_set():
            await self._pause(await self._turn())

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _turn(self) -> float:
        """One round; the seconds to wait before the next."""
        room = self._pace.conversations * self._pace.bag
        try:
            claims = await claim_emails(self._ctx, limit=room, lease=self._pace.lease)
            done = await self._round(claims)
        except DatabaseUnavailable as error:
            log.warning("postman_without_database", error=type(error).__name__)
            return self._pace.poll
        except Exception as error:  # noqa: BLE001  # Whatever it is, mails must go on.
            log.error("postman_failed", exc_info=error)
            return self._pace.poll
        self._tell(claims, done)
        if done.fault is not None and not done.settled:
            return self._patience.take()
        self._patience.reset()
        return 0.0 if len(claims) == room else self._pace.poll

    def _tell(self, claims: Sequence[Claim], done: Round) -> None:
        for failure in done.failures:
            log.error("postman_failed", exc_info=failure)
        if done.fault is not None:
            log.warning("mail_relay_failed", reason=str(done.fault))
        if claims:
            MAIL_RELAY.set(done.fault is None)

    async def _round(self, claims: Sequence[Claim]) -> Round:
        done = Round()
        bags = [bag for start in range(self._pace.conversations) if (bag := claims[start :: self._pace.conversations])]
        # Not a task group: one that fails must not cut off another in the middle of a message.
        ended = await asyncio.gather(*(self._carry(list(bag), done) for bag in bags), return_exceptions=True)
        done.failures = [failure for failure in ended if isinstance(failure, BaseException)]
        return done

    async def _carry(self, bag: list[Claim], done: Round) -> None:
        """Bring one bag over one connection. What is left in it at the end is given back."""
        reason, delay = None, 0.0
        try:
            async with self._relay.connect() as conversation:
                delay = DISCONNECT_DELAY_SECONDS * self._pace.scale
                while bag and conversation.is_open and not self._stopping.is_set():
                    await self._bring(conversation, bag[0])
                    bag.pop(0)
                    done.settled += 1
                delay = 0.0
        except RelayError as error:
            done.fault, reason = error, str(error)
        finally:
            if bag:
                await release(self._ctx, bag, reason=reason, first_delay=delay)

    async def _bring(self, conversation: Connection, claim: Claim) -> None:
        rendered = self._rendered(claim)
        verdict = rendered if isinstance(rendered, SendResult) else await self._hand_over(conversation, claim, rendered)
        if verdict is None or not await self._written(claim, verdict):
            log.warning("mail_lease_lost", mail_id=claim.email.id)
            MAILS.labels(claim.email.kind, "lease_lost").inc()
            return
        outcome = "retry" if verdict.state is EmailState.waiting else verdict.state.name
        MAILS.labels(claim.email.kind, outcome).inc()
        if verdict.state is not EmailState.sent:
            log.warning(f"mail_{outcome}", mail_id=claim.email.id, kind=claim.email.kind)

    def _rendered(self, claim: Claim) -> RenderedEmail | SendResult:
        """The message. One that can't be written may be after the next release, so it is put off, not given up."""
        try:
            return render(self._ctx.settings, self._ctx.services.vault, claim.email)
        except Exception as error:  # noqa: BLE001  # One bad row must not keep the others from being sent.
            log.error("mail_not_rendered", mail_id=claim.email.id, kind=claim.email.kind, error=type(error).__name__)
            return retry_later(claim.failures, f"not rendered: {type(error).__name__}", scale=self._pace.scale)

    async def _hand_over(self, conversation: Connection, claim: Claim, rendered: RenderedEmail) -> SendResult | None:
        """Offer, note, hand over. None where the claim was lost, and so nothing was handed over."""
        try:
            await conversation.prepare(rendered.sender, rendered.recipient)
            if not await mark_sending(self._ctx, claim, self._pace.hand_over_lease):
                await conversation.cancel()
                return None
            return SendResult(EmailState.sent, await conversation.send_data(rendered.content))
        except MessageRejected as error:
            return SendResult(EmailState.failed, str(error))
        except MessageDeferred as error:
            return retry_later(claim.failures, str(error), scale=self._pace.scale)
        except OutcomeUnknown as error:
            return SendResult(EmailState.uncertain, str(error))

    async def _written(self, claim: Claim, verdict: SendResult) -> bool:
        """Write what came of it. A database that is away is waited for: this is all that knows of an acceptance."""
        patience = Patience()
        while True:
            try:
                return await record_result(self._ctx, claim, verdict)
            except DatabaseUnavailable as error:
                log.warning("mail_not_written", mail_id=claim.email.id, error=type(error).__name__)
                await patience.wait()
