"""Benchmarks: `python -m bench` (`make bench`) measures the doors against a bare floor; the others stand alone."""
