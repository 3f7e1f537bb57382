"""Reads the headers `Accept` and `Accept-Encoding`."""

import re

MAX_ACCEPTED = 50
_WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")


def parse_weights(header: str, malformed: float = 0.0) -> dict[str, float]:
    """The names of a header in lower case and its order, with their weights (RFC 9110, section 12.4.2). The first of a
    repeated name counts. `malformed` is the weight of an invalid `q`.
    """
    weights: dict[str, float] = {}
    for text in header.lower().split(",", MAX_ACCEPTED)[:MAX_ACCEPTED]:
        name, *parameters = (part.strip() for part in text.split(";"))
        weight = next((part.removeprefix("q=") for part in parameters if part.startswith("q=")), "1")
        if name:
            weights.setdefault(name, min(float(weight), 1.0) if _WEIGHT.fullmatch(weight) else malformed)
    return weights
