"""The retry policy: delays, the last attempt, overloaded servers and `Retry-After`."""

from datetime import UTC, datetime
from itertools import accumulate

import pytest

from gateway.integrations.egress.response import DeliveryResponse
from gateway.models.webhooks import DeliveryState
from gateway.resolvers.webhooks.retry_policy import DELAYS, RetryDecision, next_action, retry_after_seconds

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def answer_of(
    status: int | None, error: str | None = "http_status", retry_after: str | None = None
) -> DeliveryResponse:
    return DeliveryResponse(status, error, retry_after, b"", None, 1)


def decision(
    answer: DeliveryResponse, failures: int = 0, environment: str = "live", jitter: float = 1.0
) -> RetryDecision:
    return next_action(answer, environment=environment, failures=failures, now=NOW, draw=lambda _low, _high: jitter)


def test_the_live_schedule_is_exact() -> None:
    delays = [decision(answer_of(500), failures).delay for failures in range(11)]
    assert list(accumulate(delays)) == [5, 35, 155, 755, 2555, 6155, 16955, 38555, 81755, 168155, 254555]
    assert decision(answer_of(500), 11) == RetryDecision(DeliveryState.exhausted)


def test_a_test_event_is_tried_four_times() -> None:
    assert [decision(answer_of(500), failures, "test").delay for failures in range(3)] == [5, 30, 120]
    assert decision(answer_of(500), 3, "test").state is DeliveryState.exhausted


def test_jitter_is_a_fifth_either_way() -> None:
    ranges: list[tuple[float, float]] = []

    def draw(low: float, high: float) -> float:
        ranges.append((low, high))
        return high

    answer = next_action(answer_of(500), environment="live", failures=2, now=NOW, draw=draw, scale=0.5)
    assert (ranges, answer.delay) == ([(0.8, 1.2)], 0.5 * 1.2 * DELAYS[2])


@pytest.mark.parametrize(
    ("answer", "delay"),
    [
        (answer_of(429), 60),
        (answer_of(502), 60),
        (answer_of(503), 60),
        (answer_of(504), 60),
        (answer_of(None, "timeout"), 60),
        (answer_of(500), 5),
        (answer_of(404), 5),
        (answer_of(302, "redirect"), 5),
        (answer_of(None, "dns_failure"), 5),
        (answer_of(None, "blocked_address"), 5),
    ],
)
def test_an_overloaded_receiver_gets_a_minute(answer: DeliveryResponse, delay: float) -> None:
    assert decision(answer) == RetryDecision(DeliveryState.due, delay)
    assert decision(answer, failures=3).delay == 600


@pytest.mark.parametrize(
    ("retry_after", "delay"),
    [
        ("0", 60),
        ("59", 60),
        ("90", 90),
        ("120", 120),
        ("121", 120),
        ("99999999999999999999", 120),
        ("Sun, 01 Mar 2026 12:01:30 GMT", 90),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 60),
        ("Mon, 01 Mar 9999 12:01:30 GMT", 120),
        ("soon", 60),
        ("-5", 60),
        ("", 60),
        ("٣٠٠", 60),
        ("Sun, 01 Mar 2026 12:01:30 -0000", 90),
    ],
)
def test_retry_after_counts_between_the_delay_and_its_double(retry_after: str, delay: float) -> None:
    assert decision(answer_of(503, retry_after=retry_after)).delay == delay


@pytest.mark.parametrize("text", ["99 Foo 2026", "Sun, 99 Mar 2026 12:01:30 GMT", "\x00", "1.5", None])
def test_an_invalid_retry_after_is_none(text: str | None) -> None:
    assert retry_after_seconds(text, NOW) is None


def test_2xx_is_delivered_and_410_is_final() -> None:
    assert decision(answer_of(204, None)) == RetryDecision(DeliveryState.delivered)
    assert decision(answer_of(410), failures=0) == RetryDecision(DeliveryState.canceled, gone=True)
