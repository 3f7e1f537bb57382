"""Fill a store with charges: `python -m bench.store DIR --charges 1000000`.

DIR gets an embedded PostgreSQL with our schema. One large store has the charges of a year, more of them lately, a fifth
as many customers and a twentieth as many subscriptions; 200 other stores share a fifth as many charges again. Two
products have a tenth of the charges each, all at one price. The API key `KEY` reads the large store.

Rows go in through COPY, without triggers, foreign keys and secondary indexes. What triggers derive is missing.
"""

import argparse
import asyncio
import hashlib
import random
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

import asyncpg

from gateway.dev.embedded import EmbeddedPostgres
from gateway.models.migrate import upgrade

STORE = UUID("019aa000-0000-7000-8000-0000000000aa")
KEY = "service_live_" + "b" * 40
DAYS, OTHER_STORES, PRODUCTS = 365, 200, 200
_FIRST_NAMES = (
    "Maria", "José", "Ana", "João", "Antônio", "Francisca", "Carlos", "Adriana", "Paulo", "Juliana", "Pedro", "Márcia",
    "Lucas", "Fernanda", "Luiz", "Patrícia", "Marcos", "Aline", "Gabriel", "Sandra", "Rafael", "Camila", "Daniel",
    "Amanda", "Bruno", "Jéssica", "Felipe", "Letícia", "Rodrigo", "Júlia",
)  # fmt: skip
_LAST_NAMES = (
    "Silva", "Santos", "Oliveira", "Souza", "Rodrigues", "Ferreira", "Alves", "Pereira", "Lima", "Gomes", "Costa",
    "Ribeiro", "Martins", "Carvalho", "Almeida", "Lopes", "Soares", "Fernandes", "Vieira", "Barbosa", "Rocha", "Dias",
    "Nascimento", "Andrade", "Moreira", "Nunes", "Marques", "Machado", "Mendes", "Freitas",
)  # fmt: skip
_GOODS = ("camisetas", "livros", "café", "flores", "peças", "ingressos")
_BANKS = ("18236120", "18236120", "18236120", "00360305", "60701190", "60746948", "00000000", "90400888")
_INDEXES = """
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class t on t.oid = i.indrelid
 where t.relname in ('charges', 'customers') and not i.indisprimary
   and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
"""
Row: TypeAlias = dict[str, Any]


def id_of(kind: int, number: int, at: datetime) -> UUID:
    """The UUIDv7 of row `number` of a kind."""
    milliseconds = int(at.timestamp() * 1000)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | kind << 64 | 0x2 << 62 | number)


def name_of(payer: int) -> str:
    return f"{_FIRST_NAMES[payer % 30]} {_LAST_NAMES[payer // 30 % 30]}"


class Store:
    """The rows of a store with so many charges, at the time `now`."""

    def __init__(self, charges: int, now: datetime) -> None:
        self.now = now
        self.begin = now - timedelta(days=DAYS + 1)
        self.total = charges + charges // 5
        self.payers = max(charges // 5, 1000)
        self.subscriptions = max(charges // 20, 100)

    def tables(self) -> Iterator[tuple[str, Iterable[Row]]]:
        """Each table with its rows, in the order of their references."""
        yield "users", map(self._user, range(OTHER_STORES + 1))
        yield "api_keys", [self._key()]
        yield "products", map(self._product, range(PRODUCTS))
        yield "customers", map(self._customer, range(self.payers))
        yield "subscriptions", map(self._subscription, range(self.subscriptions))
        yield "charges", map(self.charge, range(1, self.total + 1))

    def _user_id(self, number: int) -> UUID:
        return UUID(int=STORE.int + 4096 * bool(number) + number)

    def _user(self, n: int) -> Row:
        times = {"created_at": self.begin, "updated_at": self.begin}
        company = {"company": f"Loja {n}", "cnpj": "11222333000181", "production_status": "approved"}
        return {"id": self._user_id(n), "name": "Ana", "email": f"ana{n}@example.com"} | company | times

    def _key(self) -> Row:
        key = {"name": "bench", "prefix": KEY[:16], "key_hash": hashlib.sha256(KEY.encode()).digest()}
        owned = self._owned(9, 1)
        del owned["updated_at"]
        return owned | key

    def _owned(self, kind: int, n: int) -> Row:
        times = {"created_at": self.begin, "updated_at": self.begin}
        return {"id": id_of(kind, n, self.begin), "user_id": STORE, "environment": "live"} | times

    def _product(self, n: int) -> Row:
        return self._owned(1, n) | {"name": f"Produto {n}", "price": 1001 + n, "sku": f"SKU-{n}"}

    def _customer(self, n: int) -> Row:
        return self._owned(2, n) | {"name": name_of(n), **self._contact(n)}

    def _contact(self, n: int) -> Row:
        cpf, phone = f"{n * 57885161 % 10**11:011}", f"119{n % 10**8:08}"
        return {"email": f"pagador{n}@exemplo.com.br", "cpf": cpf, "phone": phone}

    def _subscription(self, n: int) -> Row:
        status = "active" if n % 10 < 8 else "paused"
        due = self.now + timedelta(days=30 * n / self.subscriptions) if status == "active" else None
        cycle = {"interval": "monthly", "status": status, "next_billing_at": due, "anchor_day": 1 + n % 28}
        return self._owned(3, n) | {"customer_name": name_of(n), "amount": 1000 + n % 5000} | cycle

    def charge(self, n: int) -> Row:
        """Charge `n`, the same one each time. The newest are six minutes old."""
        chance = random.Random(n)
        at = self.now - timedelta(minutes=6) - timedelta(days=DAYS * (1 - (n / self.total) ** 0.5))
        row_id, second = id_of(4, n, at), int(at.timestamp())
        product = chance.randrange(10)
        amount = 1001 + product if product < 2 else 500 + chance.randrange(100_000)
        goods = ("canecas", "chapéus")[product] if product < 2 else chance.choice(_GOODS)
        payer = int(chance.random() ** 2 * self.payers)
        status, paid_at, updated_at = self._outcome(at, chance)
        bank, suffix = chance.choice(_BANKS), f"{chance.getrandbits(44):011x}"
        return {
            "id": row_id,
            "user_id": STORE if n % 6 else self._user_id(1 + n // 6 % OTHER_STORES),
            "environment": "live",
            "txid": f"{second:08x}{chance.getrandbits(96):024x}",
            "status": status,
            "description": f"Pedido {n} de {goods}",
            "amount": amount,
            "original_amount": amount,
            "fee_amount": amount // 100,
            "customer_id": id_of(2, payer, self.begin) if n % 10 < 5 else None,
            "customer_name": name_of(payer),
            **{f"customer_{name}": value for name, value in self._contact(payer).items()},
            "product_id": id_of(1, product if product < 2 else n % PRODUCTS, self.begin) if product < 4 else None,
            "subscription_id": id_of(3, n % self.subscriptions, self.begin) if n % 20 == 7 else None,
            "external_reference": f"PED-{n}" if n % 2 else None,
            "metadata": "{}",
            "expires_at": at + timedelta(days=1),
            "pix_code": f"00020126580014br.gov.bcb.pix{n:0162}",
            "engine": "simulator",
            "engine_id": f"pay_{n}",
            "end_to_end_id": f"E{bank}{paid_at:%Y%m%d%H%M}{suffix}" if paid_at else None,
            "paid_at": paid_at,
            "refunded_at": paid_at if status == "refunded" else None,
            "refunded_amount": amount if status == "refunded" else 0,
            "created_at": at,
            "updated_at": updated_at,
        }

    def _outcome(self, at: datetime, chance: random.Random) -> tuple[str, datetime | None, datetime]:
        """Status, payment and last change of a charge."""
        draw, paid_at = chance.randrange(100), at + timedelta(minutes=1 + chance.randrange(200))
        if draw < 72 and paid_at < self.now:
            return "paid", paid_at, paid_at
        if at > self.now - timedelta(days=1):
            return "pending", None, at
        if draw == 99:
            return "refunded", paid_at, paid_at
        return ("canceled" if draw == 98 else "expired"), None, at + timedelta(days=1)


async def fill(url: str, charges: int) -> None:
    """Fill an empty database."""
    connection = await asyncpg.connect(url)
    await connection.execute("set session_replication_role = replica; set maintenance_work_mem = '512MB'")
    indexes = await connection.fetch(_INDEXES)
    for index in indexes:
        await connection.execute(f"drop index {index['name']}")
    begun = time.perf_counter()
    for table, rows in Store(charges, datetime.now(UTC)).tables():
        remaining = iter(rows)
        first = next(remaining)
        records = (tuple(row.values()) for row in chain([first], remaining))
        await connection.copy_records_to_table(table, records=records, columns=list(first), timeout=3600)
    print(f"{charges} charges: rows after {time.perf_counter() - begun:.0f} s", end="", flush=True)
    for index in indexes:
        await connection.execute(index["definition"], timeout=3600)
    await connection.execute("vacuum (analyze)", timeout=3600)
    size = await connection.fetchval("select pg_size_pretty(pg_database_size(current_database()))")
    print(f", indexes after {time.perf_counter() - begun:.0f} s, {size}", flush=True)
    await connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--charges", type=int, default=1_000_000)
    options = parser.parse_args()
    with EmbeddedPostgres(options.directory, durable=False) as url:
        upgrade(url)
        asyncio.run(fill(url, options.charges))


if __name__ == "__main__":
    main()
