"""The email worker: claims due messages and sends each at most once, over some connections to the relay.

It polls every second. No transaction or database connection is open during a conversation with the relay.
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
from gateway.workers.backoff import Backoff


class EmailWorkerConfig(Struct, frozen=True):
    """Limits and intervals, in seconds."""

    conversations: int = 4
    """Concurrent connections to the relay."""
    batch: int = 8
    """Messages for one connection."""
    poll: float = 1.0
    lease: timedelta = LEASE
    sending_lease: timedelta = SENDING_LEASE
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
            claims = await claim_emails(self._ctx, limit=limit, lease=self._config.lease)
            outcome = await self._send_all(claims)
        except DatabaseUnavailable as error:
            log.warning("email_worker_without_database", error=type(error).__name__)
            return self._config.poll
        except Exception as error:  # noqa: BLE001  # Sending goes on after any failure.
            log.error("email_worker_failed", exc_info=error)
            return self._config.poll
        for failure in outcome.failures:
            log.error("email_worker_failed", exc_info=failure)
        if outcome.fault is not None:
            log.warning("mail_relay_failed", reason=str(outcome.fault))
        if claims:
            MAIL_RELAY.set(outcome.fault is None)
        if outcome.fault is not None and not outcome.settled:
            return self._backoff.next_delay()
        self._backoff.reset()
        return 0.0 if len(claims) == limit else self._config.poll

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
            async with self._relay.connect() as conversation:
                delay = DISCONNECT_DELAY_SECONDS * self._config.scale
                while batch and conversation.is_open and not self._stopping.is_set():
                    await self._send(conversation, batch[0])
                    batch.pop(0)
                    outcome.settled += 1
                delay = 0.0
        except RelayError as error:
            outcome.fault, reason = error, str(error)
        finally:
            if batch:
                await release(self._ctx, batch, reason=reason, first_delay=delay)

    async def _send(self, conversation: Connection, claim: Claim) -> None:
        rendered = self._render(claim)
        result = rendered if isinstance(rendered, SendResult) else await self._deliver(conversation, claim, rendered)
        if result is None or not await self._settle(claim, result):
            log.warning("mail_lease_lost", mail_id=claim.email.id)
            MAILS.labels(claim.email.kind, "lease_lost").inc()
            return
        outcome = "retry" if result.state is EmailState.waiting else result.state.name
        MAILS.labels(claim.email.kind, outcome).inc()
        if result.state is not EmailState.sent:
            log.warning(f"mail_{outcome}", mail_id=claim.email.id, kind=claim.email.kind)

    def _render(self, claim: Claim) -> RenderedEmail | SendResult:
        """The message. One that can't be rendered is retried: the next release may fix it."""
        try:
            return render(self._ctx.settings, self._ctx.services.vault, claim.email)
        except Exception as error:  # noqa: BLE001  # One bad row must not stop the others.
            log.error("mail_not_rendered", mail_id=claim.email.id, kind=claim.email.kind, error=type(error).__name__)
            return retry_later(claim.failures, f"not rendered: {type(error).__name__}", scale=self._config.scale)

    async def _deliver(self, conversation: Connection, claim: Claim, rendered: RenderedEmail) -> SendResult | None:
        """Announce the recipient, record the sending, send. Sends nothing and returns None if the lease was lost."""
        try:
            await conversation.prepare(rendered.sender, rendered.recipient)
            if not await mark_sending(self._ctx, claim, self._config.sending_lease):
                await conversation.cancel()
                return None
            return SendResult(EmailState.sent, await conversation.send_data(rendered.content))
        except MessageRejected as error:
            return SendResult(EmailState.failed, str(error))
        except MessageDeferred as error:
            return retry_later(claim.failures, str(error), scale=self._config.scale)
        except OutcomeUnknown as error:
            return SendResult(EmailState.uncertain, str(error))

    async def _settle(self, claim: Claim, result: SendResult) -> bool:
        """Record the outcome. Retries until the database answers: only this process knows that the relay accepted."""
        backoff = Backoff()
        while True:
            try:
                return await record_result(self._ctx, claim, result)
            except DatabaseUnavailable as error:
                log.warning("mail_not_written", mail_id=claim.email.id, error=type(error).__name__)
                await backoff.wait()
