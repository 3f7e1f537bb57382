"""Percentiles of measured times, as a line for people."""

from collections.abc import Sequence


def percentile(seconds: Sequence[float], share: float) -> float:
    """In milliseconds; the nearest rank."""
    ranked = sorted(seconds)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))] * 1000


def told(name: str, seconds: Sequence[float]) -> str:
    """One line: p50, p95 and the worst, in milliseconds."""
    p50, p95, worst = (percentile(seconds, share) for share in (0.5, 0.95, 1))
    return f"{name}: p50 {p50:.2f} ms, p95 {p95:.2f} ms, max {worst:.2f} ms ({len(seconds)} times)"
