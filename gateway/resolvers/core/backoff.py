"""Exponential backoff."""

from datetime import timedelta


def backoff(first: timedelta, longest: timedelta, attempts: int) -> timedelta:
    """The delay after a number of failed attempts: `first`, doubled after each further one, at most `longest`."""
    times = 2 ** max(attempts - 1, 0)
    # Compare before multiplying: a timedelta overflows.
    return first * times if times <= longest // first else longest
