"""The postman: brings mails that are due to the relay, some side by side, each at most once.

It needs PostgreSQL and the relay, and no hint from anybody: it looks every second. While a relay is spoken to, neither
a transaction nor a connection to the database is held.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from msgspec import Struct, field

from gateway.integrations.smtp.relay import Conversation, MailDeferred, MailRefused, MailUncertain, Relay, RelayError
from gateway.models.database import DatabaseUnavailable
from gateway.models.mail import MailState
from gateway.resolvers.core.context import Context
from gateway.resolvers.mail.claims import (
    HAND_OVER_LEASE,
    LEASE,
    Claim,
    Verdict,
    begin_hand_over,
    claim_mails,
    give_back,
    settle,
)
from gateway.resolvers.mail.rendering import Rendered, render
from gateway.resolvers.mail.schedule import AFTER_A_FAULT, put_off
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
    hand_over_lease: timedelta = HAND_OVER_LEASE
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
            claims = await claim_mails(self._ctx, room=room, lease=self._pace.lease)
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
            async with self._relay.conversation() as conversation:
                delay = AFTER_A_FAULT * self._pace.scale
                while bag and conversation.open and not self._stopping.is_set():
                    await self._bring(conversation, bag[0])
                    bag.pop(0)
                    done.settled += 1
                delay = 0.0
        except RelayError as error:
            done.fault, reason = error, str(error)
        finally:
            if bag:
                await give_back(self._ctx, bag, reason=reason, first_delay=delay)

    async def _bring(self, conversation: Conversation, claim: Claim) -> None:
        rendered = self._rendered(claim)
        verdict = rendered if isinstance(rendered, Verdict) else await self._hand_over(conversation, claim, rendered)
        if verdict is None or not await self._written(claim, verdict):
            log.warning("mail_lease_lost", mail_id=claim.mail.id)
            MAILS.labels(claim.mail.kind, "lease_lost").inc()
            return
        outcome = "retry" if verdict.state is MailState.waiting else verdict.state.name
        MAILS.labels(claim.mail.kind, outcome).inc()
        if verdict.state is not MailState.sent:
            log.warning(f"mail_{outcome}", mail_id=claim.mail.id, kind=claim.mail.kind)

    def _rendered(self, claim: Claim) -> Rendered | Verdict:
        """The message. One that can't be written may be after the next release, so it is put off, not given up."""
        try:
            return render(self._ctx.settings, self._ctx.services.vault, claim.mail)
        except Exception as error:  # noqa: BLE001  # One bad row must not keep the others from being sent.
            log.error("mail_not_rendered", mail_id=claim.mail.id, kind=claim.mail.kind, error=type(error).__name__)
            return put_off(claim.failures, f"not rendered: {type(error).__name__}", scale=self._pace.scale)

    async def _hand_over(self, conversation: Conversation, claim: Claim, rendered: Rendered) -> Verdict | None:
        """Offer, note, hand over. None where the claim was lost, and so nothing was handed over."""
        try:
            await conversation.offer(rendered.sender, rendered.recipient)
            if not await begin_hand_over(self._ctx, claim, self._pace.hand_over_lease):
                await conversation.withdraw()
                return None
            return Verdict(MailState.sent, await conversation.hand_over(rendered.content))
        except MailRefused as error:
            return Verdict(MailState.failed, str(error))
        except MailDeferred as error:
            return put_off(claim.failures, str(error), scale=self._pace.scale)
        except MailUncertain as error:
            return Verdict(MailState.uncertain, str(error))

    async def _written(self, claim: Claim, verdict: Verdict) -> bool:
        """Write what came of it. A database that is away is waited for: this is all that knows of an acceptance."""
        patience = Patience()
        while True:
            try:
                return await settle(self._ctx, claim, verdict)
            except DatabaseUnavailable as error:
                log.warning("mail_not_written", mail_id=claim.mail.id, error=type(error).__name__)
                await patience.wait()
