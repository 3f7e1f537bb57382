"""The e-mail worker: claims due messages and sends each at most once, over some connections to the relay.

It polls every second. No transaction or database connection is open during a conversation with the relay.
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
from gateway.workers.backoff import Backoff


class EmailWorkerConfig(Struct, frozen=True):
    """Limits and intervals, in seconds."""

    conversations: int = 4
    """Concurrent connections to the relay."""
    batch: int = 8
    """Messages for one connection."""
    poll: float = 1.0
    lease: timedelta = LEASE
    hand_over_lease: timedelta = HAND_OVER_LEASE
    drain: float = 15.0
    """The time for running conversations when the worker stops."""
    backoff: tuple[float, float] = (5.0, 300.0)
    scale: float = 1.0
    """Multiplies retry delays, for tests."""


class Outcome(Struct):
    """The result of one tick."""

    settled: int = 0
    fault: RelayError | None = None
    failures: list[BaseException] = field(default_factory=list)


class EmailWorker:
    """Runs until `stop`."""

    def __init__(self, ctx: Context, relay: Relay, config: EmailWorkerConfig | None = None) -> None:
        self._ctx = ctx
        self._relay = relay
        self._config = config or EmailWorkerConfig()
        self._stopping = asyncio.Event()
        self._backoff = Backoff(*self._config.backoff)

    def stop(self) -> None:
        """Claim no more. `run` returns when running conversations have ended or their messages are released."""
        self._stopping.set()

    async def run(self) -> None:
        working = asyncio.create_task(self._work(), name="email_worker")
        working.add_done_callback(lambda _: self._stopping.set())  # Before `stop`, only a failure ends it.
        await self._stopping.wait()
        _, late = await asyncio.wait([working], timeout=self._config.drain)
        for task in late:
            task.cancel()
        await asyncio.gather(working, return_exceptions=True)
        if not late:
            working.result()

    async def _work(self) -> None:
        while not self._stopping.is_set():
            await self._pause(await self._tick())

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _tick(self) -> float:
        """Send one batch per connection; returns the seconds until the next tick."""
        limit = self._config.conversations * self._config.batch
        try:
            claims = await claim_mails(self._ctx, room=limit, lease=self._config.lease)
            outcome = await self._send_all(claims)
        except DatabaseUnavailable as error:
            log.warning("email_worker_without_database", error=type(error).__name__)
            return self._config.poll
        except Exception as error:  # noqa: BLE001  # Sending goes on after any failure.
            log.error("email_worker_failed", exc_info=error)
            return self._config.poll
        self._report(claims, outcome)
        if outcome.fault is not None and not outcome.settled:
            return self._backoff.next_delay()
        self._backoff.reset()
        return 0.0 if len(claims) == limit else self._config.poll

    def _report(self, claims: Sequence[Claim], outcome: Outcome) -> None:
        for failure in outcome.failures:
            log.error("email_worker_failed", exc_info=failure)
        if outcome.fault is not None:
            log.warning("mail_relay_failed", reason=str(outcome.fault))
        if claims:
            MAIL_RELAY.set(outcome.fault is None)

    async def _send_all(self, claims: Sequence[Claim]) -> Outcome:
        outcome, step = Outcome(), self._config.conversations
        batches = [batch for start in range(step) if (batch := claims[start::step])]
        # Not a task group: a failure must not cancel another conversation within a message.
        ended = await asyncio.gather(
            *(self._send_batch(list(batch), outcome) for batch in batches), return_exceptions=True
        )
        outcome.failures = [failure for failure in ended if isinstance(failure, BaseException)]
        return outcome

    async def _send_batch(self, batch: list[Claim], outcome: Outcome) -> None:
        """Send a batch over one connection. Messages that remain at the end are released."""
        reason, delay = None, 0.0
        try:
            async with self._relay.conversation() as conversation:
                delay = AFTER_A_FAULT * self._config.scale
                while batch and conversation.open and not self._stopping.is_set():
                    await self._send(conversation, batch[0])
                    batch.pop(0)
                    outcome.settled += 1
                delay = 0.0
        except RelayError as error:
            outcome.fault, reason = error, str(error)
        finally:
            if batch:
                await give_back(self._ctx, batch, reason=reason, first_delay=delay)

    async def _send(self, conversation: Conversation, claim: Claim) -> None:
        rendered = self._render(claim)
        verdict = rendered if isinstance(rendered, Verdict) else await self._hand_over(conversation, claim, rendered)
        if verdict is None or not await self._settle(claim, verdict):
            log.warning("mail_lease_lost", mail_id=claim.mail.id)
            MAILS.labels(claim.mail.kind, "lease_lost").inc()
            return
        outcome = "retry" if verdict.state is MailState.waiting else verdict.state.name
        MAILS.labels(claim.mail.kind, outcome).inc()
        if verdict.state is not MailState.sent:
            log.warning(f"mail_{outcome}", mail_id=claim.mail.id, kind=claim.mail.kind)

    def _render(self, claim: Claim) -> Rendered | Verdict:
        """The message. One that can't be rendered is retried: the next release may fix it."""
        try:
            return render(self._ctx.settings, self._ctx.services.vault, claim.mail)
        except Exception as error:  # noqa: BLE001  # One bad row must not stop the others.
            log.error("mail_not_rendered", mail_id=claim.mail.id, kind=claim.mail.kind, error=type(error).__name__)
            return put_off(claim.failures, f"not rendered: {type(error).__name__}", scale=self._config.scale)

    async def _hand_over(self, conversation: Conversation, claim: Claim, rendered: Rendered) -> Verdict | None:
        """Announce the recipient, record the sending, send. Sends nothing and returns None if the lease was lost."""
        try:
            await conversation.offer(rendered.sender, rendered.recipient)
            if not await begin_hand_over(self._ctx, claim, self._config.hand_over_lease):
                await conversation.withdraw()
                return None
            return Verdict(MailState.sent, await conversation.hand_over(rendered.content))
        except MailRefused as error:
            return Verdict(MailState.failed, str(error))
        except MailDeferred as error:
            return put_off(claim.failures, str(error), scale=self._config.scale)
        except MailUncertain as error:
            return Verdict(MailState.uncertain, str(error))

    async def _settle(self, claim: Claim, verdict: Verdict) -> bool:
        """Record the outcome. Retries until the database answers: only this process knows that the relay accepted."""
        backoff = Backoff()
        while True:
            try:
                return await settle(self._ctx, claim, verdict)
            except DatabaseUnavailable as error:
                log.warning("mail_not_written", mail_id=claim.mail.id, error=type(error).__name__)
                await backoff.wait()
