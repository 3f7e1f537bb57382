"""Pages and files beside the API: the OpenAPI document, the reference drawn from it, the
guide of the test environment.
"""

from functools import cache
from pathlib import Path
from threading import Lock

import orjson
from starlette.responses import RedirectResponse, Response

from gateway.assets import Fixed
from gateway.rest_compat import reference
from gateway.rest_compat.door import DocumentationPage

GUIDE = "/docs/ambiente-de-teste"
COMMITTED = Path(__file__).with_name("openapi.json")


_DRAWING = Lock()


@cache
def _file() -> Response:
    """The committed document (`make schema` writes it, a test compares), as it is."""
    return Fixed(COMMITTED.read_bytes(), "application/json", {"cache-control": "no-cache"})


def _reference() -> Response:
    with _DRAWING:  # It takes seconds: who asks meanwhile waits for this drawing instead of beginning another.
        return _drawn()


@cache
def _drawn() -> Response:
    return reference.page(orjson.loads(COMMITTED.read_bytes()))


def _redirect() -> Response:
    return RedirectResponse(GUIDE, status_code=302)


DOCUMENTATION = [
    DocumentationPage("/openapi.json", _file),
    DocumentationPage("/docs", _reference),
    DocumentationPage(GUIDE, reference.guide),
    DocumentationPage("/devmode", _redirect),
]
