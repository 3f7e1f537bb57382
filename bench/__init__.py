"""Benchmarks: `python -m bench` (`make bench`) compares the API with a hand-written baseline."""
