"""Requests to merchants' servers. No other module connects to an address that a merchant chose.

It imports nothing else of the gateway but the thread pool.
"""
