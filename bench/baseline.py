"""The baseline: what the stack does without our code.

Starlette routes, asyncpg's pool with its defaults, hand-written statements, orjson, the same tables. It has no
permissions, no idempotency, no phases, no audit trail, no headers and no access log.

    POST /pix       selects the key by its hash, then inserts the charge and its event in one transaction
    POST /pix-qr    the same, with the QR image in the response
    GET  /pix/status?txid=   one select
    GET  /pix?user_id=       the newest 100 charges of a store, one select
"""

import argparse
import gc
import hashlib
import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gateway.integrations.engines import qr
from gateway.integrations.engines.br_code import build_dynamic
from gateway.values.ids import new_id

COLUMNS = (
    "id, user_id, environment, txid, status, description, amount, original_amount, discount_amount, fee_amount, "
    "customer_id, customer_name, customer_email, customer_cpf, customer_phone, product_id, coupon_id, coupon_code, "
    "subscription_id, payment_link_id, external_reference, metadata, success_url, cancel_url, expires_at, due_date, "
    "pix_code, end_to_end_id, paid_at, paid_late, store_name, store_document, created_at, updated_at"
)
STORED = tuple(f"{COLUMNS}, engine, engine_id".split(", "))
PLACEHOLDERS = ", ".join(f"${number}" for number in range(1, len(STORED) + 1))
INSERT_CHARGE = f"insert into charges ({', '.join(STORED)}) values ({PLACEHOLDERS})"  # noqa: S608  # The columns are above.
INSERT_EVENT = (
    "insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at) "
    "values ($1, $2, $3, $4, $5, $6, $7)"
)
SELECT_KEY = "select user_id, environment from api_keys where key_hash = $1 and active"
SELECT_ONE = f"select {COLUMNS} from charges where txid = $1"  # noqa: S608  # The columns are above.
SELECT_LIST = (
    f"select {COLUMNS} from charges where user_id = $1 and environment = 'test' "  # noqa: S608  # As above.
    "order by created_at desc, id desc limit 100"
)


def respond(data: Any, status: int = 200) -> Response:
    return Response(orjson.dumps({"data": data}), status, media_type="application/json")


def view_of(row: Any) -> dict[str, Any]:
    charge = dict(row)
    for name in ("amount", "original_amount", "discount_amount", "fee_amount"):
        charge[name] /= 100
    return charge


def is_valid_cpf(text: str) -> bool:
    digits = [int(character) for character in text if character.isdigit()]
    if len(digits) != 11:
        return False
    first = sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False)) * 10 % 11 % 10
    second = sum(digit * weight for digit, weight in zip(digits, range(11, 1, -1), strict=False)) * 10 % 11 % 10
    return digits[9:] == [first, second]


def is_valid(order: dict[str, Any]) -> bool:
    amount, description = order.get("amount"), order.get("description")
    return (
        isinstance(amount, (int, float))
        and amount >= 5
        and isinstance(description, str)
        and len(description) <= 140
        and is_valid_cpf(order.get("customer_cpf", ""))
    )


def new_charge(order: dict[str, Any], user_id: str, environment: str) -> dict[str, Any]:
    now, txid = datetime.now(UTC), secrets.token_hex(16)
    centavos = round(order["amount"] * 100)
    code = build_dynamic(
        url=f"pix.example.com/qr/{txid}", amount=centavos, merchant_name="Loja", merchant_city="BRASILIA"
    )
    owner = {"id": new_id(), "user_id": user_id, "environment": environment, "txid": txid, "status": "pending"}
    amounts = {"amount": centavos, "original_amount": centavos, "discount_amount": 0, "fee_amount": 0}
    copied = {name: order[name] for name in ("description", "customer_name", "customer_email", "customer_cpf")}
    times = {"expires_at": now + timedelta(days=1), "created_at": now, "updated_at": now}
    rest = {"metadata": {}, "pix_code": code, "paid_late": False}
    return dict.fromkeys(STORED[:-2]) | owner | amounts | copied | times | rest


async def issue(request: Request, *, with_qr: bool = False) -> Response:
    order = orjson.loads(await request.body())
    if not is_valid(order):
        return respond("invalid", 400)
    key_hash = hashlib.sha256(request.headers["authorization"].removeprefix("Bearer ").encode()).digest()
    async with request.app.state.pool.acquire() as connection:
        owner = await connection.fetchrow(SELECT_KEY, key_hash)
        if owner is None:
            return respond("unknown key", 401)
        charge = new_charge(order, owner["user_id"], owner["environment"])
        data = view_of(charge)
        event = new_id()
        body = orjson.dumps({"id": event, "event": "charge.created", "version": "v1", "data": data})
        async with connection.transaction():
            await connection.execute(INSERT_CHARGE, *charge.values(), "baseline", charge["txid"])
            await connection.execute(
                INSERT_EVENT, event, charge["user_id"], charge["environment"], "charge.created", body, event,
                charge["created_at"],
            )  # fmt: skip
    if with_qr:
        data["qr_code_url"] = qr.data_url(charge["pix_code"])
    return respond(data, 201)


async def issue_with_qr(request: Request) -> Response:
    return await issue(request, with_qr=True)


async def read(request: Request) -> Response:
    async with request.app.state.pool.acquire() as connection:
        row = await connection.fetchrow(SELECT_ONE, request.query_params["txid"])
    return respond(view_of(row)) if row else respond("not found", 404)


async def list_newest(request: Request) -> Response:
    async with request.app.state.pool.acquire() as connection:
        rows = await connection.fetch(SELECT_LIST, request.query_params["user_id"])
    return respond([view_of(row) for row in rows])


async def _set_codecs(connection: Any) -> None:
    await connection.set_type_codec("uuid", schema="pg_catalog", encoder=str, decoder=str, format="text")
    await connection.set_type_codec(
        "jsonb",
        schema="pg_catalog",
        encoder=lambda value: b"\x01" + orjson.dumps(value),
        decoder=lambda data: orjson.loads(data[1:]),
        format="binary",
    )


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    async with asyncpg.create_pool(
        os.environ["GATEWAY_DATABASE_URL"], min_size=10, max_size=10, init=_set_codecs
    ) as app.state.pool:
        gc.collect()
        gc.freeze()
        yield


def create_app() -> Starlette:
    routes = [
        Route("/pix", issue, methods=["POST"]),
        Route("/pix-qr", issue_with_qr, methods=["POST"]),
        Route("/pix/status", read),
        Route("/pix", list_newest),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    uvicorn.run(
        "bench.baseline:create_app", factory=True, port=parser.parse_args().port, loop="uvloop", http="httptools",
        ws="none", access_log=False, proxy_headers=False, server_header=False, date_header=False, log_level="warning",
    )  # fmt: skip


if __name__ == "__main__":
    main()
