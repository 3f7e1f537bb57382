"""When a failed delivery is tried again."""

from datetime import UTC, datetime
from itertools import accumulate

import pytest

from gateway.integrations.egress.answers import Answer
from gateway.models.webhooks import DeliveryState
from gateway.resolvers.webhooks.schedule import DELAYS, Verdict, judge, retry_after_seconds

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def said(status: int | None, error: str | None = "http_status", retry_after: str | None = None) -> Answer:
    return Answer(status, error, retry_after, b"", None, 1)


def verdict(answer: Answer, failures: int = 0, environment: str = "live", jitter: float = 1.0) -> Verdict:
    return judge(answer, environment=environment, failures=failures, now=NOW, draw=lambda _low, _high: jitter)


def test_the_live_schedule_is_exact() -> None:
    delays = [verdict(said(500), failures).delay for failures in range(11)]
    assert list(accumulate(delays)) == [5, 35, 155, 755, 2555, 6155, 16955, 38555, 81755, 168155, 254555]
    assert verdict(said(500), 11) == Verdict(DeliveryState.exhausted)


def test_a_test_event_is_tried_four_times() -> None:
    assert [verdict(said(500), failures, "test").delay for failures in range(3)] == [5, 30, 120]
    assert verdict(said(500), 3, "test").state is DeliveryState.exhausted


def test_jitter_is_a_fifth_either_way() -> None:
    asked: list[tuple[float, float]] = []

    def draw(low: float, high: float) -> float:
        asked.append((low, high))
        return high

    answer = judge(said(500), environment="live", failures=2, now=NOW, draw=draw, scale=0.5)
    assert (asked, answer.delay) == ([(0.8, 1.2)], 0.5 * 1.2 * DELAYS[2])


@pytest.mark.parametrize(
    ("answer", "delay"),
    [
        (said(429), 60),
        (said(502), 60),
        (said(503), 60),
        (said(504), 60),
        (said(None, "timeout"), 60),
        (said(500), 5),
        (said(404), 5),
        (said(302, "redirect"), 5),
        (said(None, "dns_failure"), 5),
        (said(None, "blocked_address"), 5),
    ],
)
def test_an_overloaded_receiver_gets_a_minute(answer: Answer, delay: float) -> None:
    assert verdict(answer) == Verdict(DeliveryState.due, delay)
    assert verdict(answer, failures=3).delay == 600


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
def test_retry_after_is_heard_between_the_delay_and_its_double(retry_after: str, delay: float) -> None:
    assert verdict(said(503, retry_after=retry_after)).delay == delay


@pytest.mark.parametrize("text", ["99 Foo 2026", "Sun, 99 Mar 2026 12:01:30 GMT", "\x00", "1.5", None])
def test_a_retry_after_that_says_nothing_is_none(text: str | None) -> None:
    assert retry_after_seconds(text, NOW) is None


def test_2xx_is_delivered_and_410_the_end() -> None:
    assert verdict(said(204, None)) == Verdict(DeliveryState.delivered)
    assert verdict(said(410), failures=0) == Verdict(DeliveryState.canceled, gone=True)
