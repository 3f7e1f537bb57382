"""The floor: what the stack can do with nothing of ours in between.

Starlette routes, asyncpg's pool as it comes (it resets a connection at every release), statements written by hand,
orjson, the same tables. It knows no rule: no permission, no idempotency, no three phases, no audit, no headers, no log.

    POST /pix       the key by its hash, then one transaction: the charge and its event
    POST /pix-qr    the same, with the QR image in the answer (ours, too, has none in an event that no endpoint hears)
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

from gateway.engines import qr
from gateway.engines.br_code import build_dynamic
from gateway.ids import new_id

COLUMNS = (
    "id, user_id, environment, txid, status, description, amount, original_amount, discount_amount, fee_amount, "
    "customer_id, customer_name, customer_email, customer_cpf, customer_phone, product_id, coupon_id, coupon_code, "
    "subscription_id, payment_link_id, external_reference, metadata, success_url, cancel_url, expires_at, due_date, "
    "pix_code, end_to_end_id, paid_at, paid_late, store_name, store_document, created_at, updated_at"
)
STORED = tuple(f"{COLUMNS}, engine, engine_id".split(", "))
PLACES = ", ".join(f"${number}" for number in range(1, len(STORED) + 1))
INSERT_CHARGE = f"insert into charges ({', '.join(STORED)}) values ({PLACES})"  # noqa: S608  # The columns are above.
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


def answer(data: Any, status: int = 200) -> Response:
    return Response(orjson.dumps({"data": data}), status, media_type="application/json")


def shown(row: Any) -> dict[str, Any]:
    charge = dict(row)
    for name in ("amount", "original_amount", "discount_amount", "fee_amount"):
        charge[name] /= 100
    return charge


def valid_cpf(text: str) -> bool:
    digits = [int(character) for character in text if character.isdigit()]
    if len(digits) != 11:
        return False
    first = sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False)) * 10 % 11 % 10
    second = sum(digit * weight for digit, weight in zip(digits, range(11, 1, -1), strict=False)) * 10 % 11 % 10
    return digits[9:] == [first, second]


def valid(order: dict[str, Any]) -> bool:
    amount, description = order.get("amount"), order.get("description")
    return (
        isinstance(amount, (int, float))
        and amount >= 5
        and isinstance(description, str)
        and len(description) <= 140
        and valid_cpf(order.get("customer_cpf", ""))
    )


def new_charge(order: dict[str, Any], user_id: str, environment: str) -> dict[str, Any]:
    now, txid = datetime.now(UTC), secrets.token_hex(16)
    centavos = round(order["amount"] * 100)
    return {
        **dict.fromkeys(STORED[:-2]),
        "id": new_id(),
        "user_id": user_id,
        "environment": environment,
        "txid": txid,
        "status": "pending",
        "description": order["description"],
        "amount": centavos,
        "original_amount": centavos,
        "discount_amount": 0,
        "fee_amount": 0,
        "customer_name": order["customer_name"],
        "customer_email": order["customer_email"],
        "customer_cpf": order["customer_cpf"],
        "metadata": {},
        "expires_at": now + timedelta(days=1),
        "pix_code": build_dynamic(
            url=f"pix.example.com/qr/{txid}", amount=centavos, merchant_name="Loja", merchant_city="BRASILIA"
        ),
        "paid_late": False,
        "created_at": now,
        "updated_at": now,
    }


async def issue(request: Request, *, draw: bool = False) -> Response:
    order = orjson.loads(await request.body())
    if not valid(order):
        return answer("invalid", 400)
    key_hash = hashlib.sha256(request.headers["authorization"].removeprefix("Bearer ").encode()).digest()
    async with request.app.state.pool.acquire() as connection:
        owner = await connection.fetchrow(SELECT_KEY, key_hash)
        if owner is None:
            return answer("unknown key", 401)
        charge = new_charge(order, owner["user_id"], owner["environment"])
        data = shown(charge)
        event = new_id()
        body = orjson.dumps({"id": event, "event": "charge.created", "version": "v1", "data": data})
        async with connection.transaction():
            await connection.execute(INSERT_CHARGE, *charge.values(), "floor", charge["txid"])
            await connection.execute(
                INSERT_EVENT, event, charge["user_id"], charge["environment"], "charge.created", body, event,
                charge["created_at"],
            )  # fmt: skip
    if draw:
        data["qr_code_url"] = qr.data_url(charge["pix_code"])
    return answer(data, 201)


async def issue_with_qr(request: Request) -> Response:
    return await issue(request, draw=True)


async def read(request: Request) -> Response:
    async with request.app.state.pool.acquire() as connection:
        row = await connection.fetchrow(SELECT_ONE, request.query_params["txid"])
    return answer(shown(row)) if row else answer("not found", 404)


async def newest(request: Request) -> Response:
    async with request.app.state.pool.acquire() as connection:
        rows = await connection.fetch(SELECT_LIST, request.query_params["user_id"])
    return answer([shown(row) for row in rows])


async def _codecs(connection: Any) -> None:
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
    async with asyncpg.create_pool(os.environ["FLOOR_DSN"], min_size=10, max_size=10, init=_codecs) as app.state.pool:
        gc.collect()
        gc.freeze()
        yield


def create_app() -> Starlette:
    routes = [
        Route("/pix", issue, methods=["POST"]),
        Route("/pix-qr", issue_with_qr, methods=["POST"]),
        Route("/pix/status", read),
        Route("/pix", newest),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    uvicorn.run(
        "bench.floor:create_app",
        factory=True,
        port=parser.parse_args().port,
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        log_level="warning",
    )


if __name__ == "__main__":
    main()
