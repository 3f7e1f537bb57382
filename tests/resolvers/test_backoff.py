"""Delays between retries."""

from datetime import timedelta

from gateway.resolvers.core.backoff import backoff

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def test_it_doubles_up_to_the_maximum() -> None:
    waits = [backoff(MINUTE, HOUR, attempts) for attempts in range(1, 9)]
    assert waits == [MINUTE * times for times in (1, 2, 4, 8, 16, 32, 60, 60)]


def test_any_number_of_attempts_is_valid() -> None:
    assert [backoff(timedelta(days=7), timedelta(days=7), attempts) for attempts in (1, 42, 50, 1000, 32767)] == [
        timedelta(days=7)
    ] * 5
    assert backoff(MINUTE, HOUR, 0) == MINUTE
