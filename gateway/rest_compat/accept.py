"""What a caller accepts, by name: `*/*` asks for nothing in particular and gets JSON."""

import re

_WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")


def prefers(accept: str, media_type: str) -> bool:
    """Whether an `Accept` header names a type, and doesn't prefer JSON (RFC 9110, section 12.5.1)."""
    return _quality(accept, media_type) > 0 and _quality(accept, media_type) >= _quality(accept, "application/json")


def _quality(accept: str, media_type: str) -> float:
    """What the header says of a type by its name; 0 where it doesn't."""
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        if name == media_type:
            weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
            return float(weight) if _WEIGHT.fullmatch(weight) else 1.0
    return 0.0
