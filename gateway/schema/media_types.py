"""Which form an answer has, by the `Accept` header and the GraphQL-over-HTTP draft.

`application/graphql-response+json` has the status codes of the draft: 4xx for a request that isn't executed. So has an
answer to a caller who names no form, which then is `application/json`. Who names `application/json` gets 200 for every
well-formed request, as the draft has it for clients that read nothing else.
"""

import re
from enum import Enum
from typing import Final

JSON: Final = "application/json"
RESPONSE: Final = "application/graphql-response+json"
HTML: Final = "text/html"
_MAX_RANGES: Final = 50
_WEIGHT: Final = re.compile(r"[01](\.[0-9]{0,3})?")


class Form(Enum):
    """The form of an answer."""

    unnamed = JSON
    json = f"{JSON}; charset=utf-8"
    response = f"{RESPONSE}; charset=utf-8"
    page = HTML

    @property
    def forgives(self) -> bool:
        """Whether a document that can't be executed is answered with 200."""
        return self is Form.json


def choose(accept: str, *, page: bool) -> Form | None:
    """The form that the caller likes best; None where none will do. `page`: whether there is one for browsers."""
    if not accept.strip():
        return Form.unnamed
    qualities = _qualities(accept)
    anything = qualities.get("application/*", qualities.get("*/*", 0.0))
    liked = {
        Form.page: qualities.get(HTML, 0.0) if page else 0.0,
        # Of those that are liked as well, the one that is named first.
        **{form: qualities[name] for name, form in _in_order(qualities)},
        Form.unnamed: 0.0 if JSON in qualities else anything,
    }
    best = max(liked, key=liked.__getitem__)
    return best if liked[best] > 0 else None


def _in_order(qualities: dict[str, float]) -> list[tuple[str, Form]]:
    named = {JSON: Form.json, RESPONSE: Form.response}
    return [(name, named[name]) for name in qualities if name in named]


def _qualities(accept: str) -> dict[str, float]:
    """The media ranges of the header in its order, with their weights (RFC 9110, section 12.5.1)."""
    qualities: dict[str, float] = {}
    for written in accept.split(",", _MAX_RANGES)[:_MAX_RANGES]:
        name, *parameters = (part.strip().lower() for part in written.split(";"))
        quality = next((part.removeprefix("q=") for part in parameters if part.startswith("q=")), "1")
        if name:
            qualities.setdefault(name, _weight(quality))
    return qualities


def _weight(written: str) -> float:
    return min(float(written), 1.0) if _WEIGHT.fullmatch(written) else 0.0
