"""One attempt of a delivery: sign it, send it, decide what follows. It uses no database."""

from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache

from gateway.integrations.egress.response import DeliveryResponse
from gateway.models.webhooks import TEST_RECEIVER_URL
from gateway.resolvers.webhooks.attempts import Attempt
from gateway.resolvers.webhooks.claims import Claim
from gateway.resolvers.webhooks.retry_policy import RetryDecision, next_action
from gateway.security import Vault
from gateway.telemetry import log
from gateway.values.webhook_signatures import delivery_headers

MAX_CACHED_SECRETS = 4096
RECEIVED_HERE = DeliveryResponse(200, None, None, b"", None, 0)
"""The answer of every test receiver."""

HttpPost = Callable[[str, bytes, Mapping[str, str]], Awaitable[DeliveryResponse]]
"""`EgressClient.post`, which returns a response for every network failure."""


class Sender:
    """Sends claimed deliveries. The cache of decrypted secrets is keyed by their encrypted form."""

    def __init__(self, post: HttpPost, vault: Vault, *, time_scale: float = 1.0) -> None:
        self._post = post
        self._decrypt = lru_cache(MAX_CACHED_SECRETS)(vault.decrypt)
        self._time_scale = time_scale

    async def send(self, claim: Claim) -> Attempt:
        started_at = claim.database_time()
        headers: dict[str, str] = {}
        try:
            headers = delivery_headers(
                body=claim.body,
                event=claim.event,
                event_id=claim.event_id,
                delivery_id=claim.id,
                attempt=claim.number,
                timestamp=int(started_at.timestamp()),
                secret=self._decrypt(claim.secret),
                previous_secret=self._decrypt(claim.previous_secret) if claim.previous_secret else None,
            )
        except ValueError as error:
            log.error("webhook_not_signed", endpoint_id=claim.endpoint_id, reason=str(error))
            response = DeliveryResponse(None, "secret_unreadable", None, b"", None, 0)
        else:
            receives_here = claim.url == TEST_RECEIVER_URL
            response = RECEIVED_HERE if receives_here else await self._post(claim.url, claim.body, headers)
        decision = _decide(claim, response, self._time_scale)
        return Attempt(claim, started_at, response, decision, request_headers=headers)


def internal_failure(claim: Claim, received: DeliveryResponse | None = None, *, time_scale: float = 1.0) -> Attempt:
    """An attempt that failed inside the gateway: it has at most a status, so the database accepts it.

    It counts like any other. A delivery that succeeded remains so; the schedule decides about the rest.
    """
    status, delivered = (received.status, received.delivered) if received else (None, False)
    response = DeliveryResponse(status, None if delivered else "internal_error", None, b"", None, 0)
    return Attempt(claim, claim.database_time(), response, _decide(claim, response, time_scale), internal=True)


def _decide(claim: Claim, response: DeliveryResponse, time_scale: float) -> RetryDecision:
    now = claim.database_time()
    return next_action(response, environment=claim.environment, failures=claim.failures, now=now, scale=time_scale)
