"""A request for a page: its path, query and form. The forms need no CSRF token, because there is no session."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias
from urllib.parse import parse_qsl, quote

from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope

from gateway.errors import InvalidInput, WrongContentType
from gateway.http.request_body import read_body
from gateway.resolvers.core.context import Context

MAX_FORM_BYTES = 16 * 1024
FIELDS = ("coupon_code", "customer_name", "customer_cpf", "customer_email", "customer_phone")
"""In the order of the page."""
SHOWN_TOTAL = "shown_total"

Typed: TypeAlias = Mapping[str, str]
"""The text of each field, as the payer typed it."""


class PageRequest(Struct, frozen=True):
    """A request for a page. `key` is the slug of a link or the txid of a charge."""

    ctx: Context
    key: str
    scope: Scope
    receive: Receive

    async def form(self) -> dict[str, str]:
        """The posted fields. Raises as `read_form`."""
        return await read_form(self.receive, Headers(scope=self.scope))

    def query(self) -> dict[str, str]:
        query: bytes = self.scope["query_string"]
        return dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors="replace"))


Handler: TypeAlias = Callable[[PageRequest], Awaitable[ASGIApp]]
"""Returns a response, which is an ASGI application."""


def segments_of(scope: Scope) -> list[str]:
    """The segments of the path below `/pay`, in lower case except for the slug or txid."""
    segments = _split(scope["path"].removeprefix(scope.get("root_path", "")))
    key = min(len(segments) - 1, 1)
    return [segment if index == key else segment.lower() for index, segment in enumerate(segments)]


def back_link(scope: Scope) -> str | None:
    """The page of the link or charge of a request, or None.

    The requested path may accept only POST. This one is built from the key, so that it always leads to `/pay/…`.
    """
    match _split(scope["path"][len("/pay") :]):
        case ["c" | "C", txid, *_] if txid:
            return f"/pay/c/{quote(txid, safe='')}"
        case [slug] if slug:
            return f"/pay/{quote(slug, safe='')}{_raw_query(scope)}"
        case _:
            return None


def _raw_query(scope: Scope) -> str:
    """The query of a GET, unchanged: it may hold the coupon of a shared link."""
    query: bytes = scope["query_string"]
    return f"?{query.decode('latin-1')}" if query and scope["method"] in {"GET", "HEAD"} else ""


def _split(path: str) -> list[str]:
    return path.strip("/").split("/")


async def read_form(receive: Receive, headers: Headers) -> dict[str, str]:
    """The fields of a posted form. Raises `WrongContentType`, `BodyTooLarge`, `InvalidInput`."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await read_body(receive, MAX_FORM_BYTES)
    if body and kind != "application/x-www-form-urlencoded":
        raise WrongContentType("O formulário chegou em um formato desconhecido.")
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50))
    except ValueError:
        raise InvalidInput(message="O formulário não pode ser lido.") from None


def typed_fields(form: Mapping[str, str]) -> dict[str, str]:
    """The fields of the page in a form. A missing one is blank."""
    return {name: form.get(name, "").strip() for name in FIELDS}


def shown_total(form: Mapping[str, str]) -> int | None:
    """The total that the page showed, in centavos, or None."""
    text = form.get(SHOWN_TOTAL, "")
    return int(text) if re.fullmatch("[0-9]{1,12}", text) else None


def raw_input(typed: Typed) -> dict[str, str]:
    """The input of an operation: without the blank fields."""
    return {name: value for name, value in typed.items() if value}
