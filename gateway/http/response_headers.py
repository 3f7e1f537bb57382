"""The headers that every answer has, whoever gives it: a door, the gate before them, or the
protocol that can't read a request.
"""

from gateway import __version__

OURS = (
    (b"x-service-version", __version__.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
