"""Pages and files beside the API: the OpenAPI document, the reference drawn from it, the guide of the test environment."""

from functools import cache
from pathlib import Path
from typing import Any

import orjson
from starlette.responses import RedirectResponse, Response

from gateway.rest_compat import reference
from gateway.rest_compat.door import Document

GUIDE = "/docs/ambiente-de-teste"
COMMITTED = Path(__file__).with_name("openapi.json")


@cache
def _openapi() -> tuple[bytes, dict[str, Any]]:
    """The committed document (`make schema` writes it, a test compares), as it is and decoded."""
    text = COMMITTED.read_bytes()
    return text, orjson.loads(text)


def _file() -> Response:
    return Response(_openapi()[0], media_type="application/json", headers={"cache-control": "no-cache"})


def _reference() -> Response:
    return reference.page(_openapi()[1])


def _redirect() -> Response:
    return RedirectResponse(GUIDE, status_code=302)


DOCUMENTS = [
    Document("/openapi.json", _file),
    Document("/docs", _reference),
    Document(GUIDE, reference.guide),
    Document("/devmode", _redirect),
]
