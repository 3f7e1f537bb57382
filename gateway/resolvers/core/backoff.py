"""How long to wait before the next attempt after a failure."""

from datetime import timedelta


def backoff(first: timedelta, longest: timedelta, attempts: int) -> timedelta:
    """The wait after so many attempts in a row: `first` after one, twice as long after each
    further, never over `longest`.
    """
    times = 2 ** max(attempts - 1, 0)
    # Compared before it is multiplied: a timedelta overflows long before a count of attempts ends.
    return first * times if times <= longest // first else longest
