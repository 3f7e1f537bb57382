"""One attempt: sign what was claimed, send it, judge the answer. No database here."""

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache

from gateway.integrations.egress.answers import Answer
from gateway.resolvers.webhooks.attempts import Attempt
from gateway.resolvers.webhooks.claims import Claim
from gateway.resolvers.webhooks.retry_policy import RetryDecision, next_action
from gateway.security import Vault
from gateway.telemetry import log
from gateway.values.webhook_signatures import delivery_headers

SECRETS_KEPT = 4096

Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[Answer]]
"""`EgressClient.post`: an answer, whatever the network does."""


class Sender:
    """Sends claims. Opened secrets are kept by their sealed form, so a rotated one is a new one."""

    def __init__(self, post: Post, vault: Vault, *, time_scale: float = 1.0) -> None:
        self._post = post
        self._open = lru_cache(SECRETS_KEPT)(vault.open)
        self._time_scale = time_scale

    async def send(self, claim: Claim) -> Attempt:
        started_at = claim.database_time()
        answer = await self._answer(claim, int(started_at.timestamp()))
        return Attempt(claim, started_at, answer, _decide(claim, answer, self._time_scale))

    async def _answer(self, claim: Claim, timestamp: int) -> Answer:
        try:
            headers = self._headers(claim, timestamp)
        except ValueError as error:
            log.error("webhook_not_signed", endpoint_id=claim.endpoint_id, reason=str(error))
            return Answer(None, "secret_unreadable", None, b"", None, 0)
        return await self._post(claim.url, claim.body, headers)

    def _headers(self, claim: Claim, timestamp: int) -> dict[str, str]:
        return delivery_headers(
            body=claim.body,
            event=claim.event,
            event_id=claim.event_id,
            delivery_id=claim.id,
            attempt=claim.number,
            timestamp=timestamp,
            secret=self._open(claim.secret),
            previous_secret=self._open(claim.previous_secret) if claim.previous_secret else None,
        )


def internal_failure(claim: Claim, said: Answer | None = None, *, time_scale: float = 1.0) -> Attempt:
    """What can always be written of an attempt that failed here: that it was, and the status, if one came.

    It counts like any other. What was delivered stays so, and all else has its next attempt by the schedule, or none.
    """
    status, delivered = (said.status, said.delivered) if said else (None, False)
    answer = Answer(status, None if delivered else "internal_error", None, b"", None, 0)
    return Attempt(claim, claim.database_time(), answer, _decide(claim, answer, time_scale), internal=True)


def _decide(claim: Claim, answer: Answer, time_scale: float) -> RetryDecision:
    now = claim.database_time()
    return next_action(answer, environment=claim.environment, failures=claim.failures, now=now, scale=time_scale)
