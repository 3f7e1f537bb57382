"""Lists of a large store: `python -m bench.lists [--charges 1000000] [--store DIR]`.

A fixed set of queries over REST and GraphQL of a running `gateway serve`: pages, filters, pairs of filters, orders,
cursors from the middle, searches of each kind, with and without total. They take turns, so no query has the caches
to itself. DIR keeps the store for later runs; without it, a temporary one is filled first.
"""

import argparse
import asyncio
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from bench.environment import open_client, open_servers, read_data, run_api
from bench.store import KEY, fill
from bench.targets import check, leave, percentile
from gateway.values.clock import SAO_PAULO

MAX_P95_MS, MAX_SLOWEST_MS, MAX_HOME_MS = 100, 2000, 60
CHARGES = """query($filter: ChargeFilter, $order: ChargeOrder) { charges(first: 50, filter: $filter, order: $order) {
    %s edges { node { id txid status amount customerName paidAt createdAt } } pageInfo { endCursor hasNextPage } } }"""
PAGE, COUNTED = CHARGES % "", CHARGES % "totalCount"
HOME = "the panel's home page"
HOME_SOURCE = Path(__file__).parents[1] / "panel" / "src" / "home" / "queries.ts"


class Query(NamedTuple):
    """A path with a query string, or a GraphQL document with its variables."""

    name: str
    path: str
    params: dict[str, Any]


class SampleValues:
    """Values of the store that the queries use, found over the API."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._now = datetime.now(UTC)
        self.sample = self._first("/pix", status="paid", page="51", sort="-created_at")
        self.product = self._first("/products", sku="SKU-11")["id"]
        self.bestseller = self._first("/products", sku="SKU-0")["id"]
        self.customer = self._first("/customers", email="pagador7@exemplo.com.br")["id"]
        self.order = self.sample["description"].split()[1]
        self.month = {"created_from": self.day(90), "created_to": self.day(60)}
        self.after = {
            "-created_at": self._cursor("created_at_desc", createdTo=self.day(150)),
            "-amount": self._cursor("amount_desc", amountMax=500),
            "-paid_at": self._cursor("paid_at_desc", status="paid", paidTo=self.day(150)),
        }

    def day(self, ago: int) -> str:
        return (self._now - timedelta(days=ago)).date().isoformat()

    def _first(self, path: str, **params: str) -> dict[str, Any]:
        row: dict[str, Any] = read_data(self._client.get(path, params={"limit": "1", "page": "1"} | params))[0]
        return row

    def _cursor(self, order: str, **filters: Any) -> str:
        """A cursor from the middle of an order: the end of the first page of a filter that begins there."""
        variables = {"order": order, "filter": filters}
        data = read_data(self._client.post("/graphql", json={"query": PAGE, "variables": variables}))
        cursor: str = data["charges"]["pageInfo"]["endCursor"]
        return cursor


def queries_of(values: SampleValues) -> Iterator[Query]:
    pages: dict[str, dict[str, str]] = {
        "newest": {},
        "paid": {"status": "paid"},
        "expired": {"status": "expired"},
        "a product": {"product_id": values.product},
        "a customer": {"customer_id": values.customer},
        "a reference": {"external_reference": "PED-1001"},
        "a rare amount": {"amount_min": "500", "amount_max": "500.02"},
        "a month": values.month,
        "paid on a day": {"paid_from": values.day(40), "paid_to": values.day(40)},
        "paid, a month": {"status": "paid", **values.month},
        "paid, amounts over 50": {"status": "paid", "amount_min": "50"},
        "paid, a product": {"status": "paid", "product_id": values.product},
        "a product of one price, over 20": {"product_id": values.bestseller, "amount_min": "20"},
        "expired, with a payment date": {"status": "expired", "paid_from": values.day(364)},
        "by -amount": {"sort": "-amount"},
        "by -paid_at": {"sort": "-paid_at"},
        "by -updated_at": {"sort": "-updated_at"},
        "paid, by -amount": {"status": "paid", "sort": "-amount"},
        "a product of one price, by -amount": {"product_id": values.bestseller, "sort": "-amount"},
        "page 20": {"page": "20"},
        "page 1000 of 100": {"page": "1000", "limit": "100"},
    }
    sample, order = values.sample, values.order
    searches: dict[str, dict[str, str]] = {
        "a document": {"q": sample["customer_cpf"]},
        "an email": {"q": sample["customer_email"]},
        "a part of a phone number": {"q": "(11) 91234"},
        "an order's number": {"q": f"pedido {order}"},
        "the first order": {"q": "pedido 1"},
        "a part of a txid": {"q": sample["txid"][5:15]},
        "an end-to-end id": {"q": sample["end_to_end_id"]},
        "a first name": {"q": "joao"},
        "a full name": {"q": "maria silva"},
        "a common word": {"q": "café"},
        "a word in every charge": {"q": "pedido"},
        "two letters": {"q": "ma"},
        "two letters of no name": {"q": "zw"},
        "nothing": {"q": "xyzzy plugh"},
        "a first name, paid": {"q": "maria", "status": "paid"},
        "a full name, a product": {"q": "maria silva", "product_id": values.product},
        "a common word, a month": {"q": "café", **values.month},
        "a document, a month": {"q": sample["customer_cpf"], **values.month},
        "a full name, by -amount": {"q": "maria silva", "sort": "-amount"},
        "a common word, by -paid_at": {"q": "café", "sort": "-paid_at"},
    }
    for name, filters in pages.items():
        yield Query(f"page with total: {name}", "/pix", {"page": "1", "limit": "50"} | filters)
    for name, filters in searches.items():
        yield Query(f"search with total: {name}", "/pix", {"page": "1", "limit": "50"} | filters)
    for name in ("an email", "a full name", "nothing", "a common word, a month"):
        yield Query(f"search: {name}", "/pix", {"after": "", "limit": "50"} | searches[name])
    for sort, after in values.after.items():
        yield Query(f"cursor in the middle, by {sort}", "/pix", {"after": after, "limit": "100", "sort": sort})
    search = {"after": values.after["-created_at"], "limit": "50", "q": "maria"}
    yield Query("cursor in the middle, of a search", "/pix", search)
    yield Query("customers by name", "/customers", {"page": "1", "limit": "50", "sort": "name"})
    yield Query("customers: search with total", "/customers", {"page": "1", "limit": "50", "q": "maria"})
    yield Query("subscriptions: search with total", "/subscriptions", {"page": "1", "limit": "50", "q": "silva"})
    yield Query("GraphQL page", PAGE, {})
    home = HOME_SOURCE.read_text("utf-8").split("graphql(`")[1].split("`)")[0]
    # An API key may not read the approval.
    days = {"from": values.day(29), "to": values.day(0), "timeZone": SAO_PAULO.key}
    yield Query(HOME, re.sub(r"production {.*?}", "", home), days)
    paid_in_month = {"status": "paid", "createdFrom": values.day(90), "createdTo": values.day(60)}
    yield Query("GraphQL page with total: paid, a month", COUNTED, {"filter": paid_in_month})
    yield Query("GraphQL search with total: a full name", COUNTED, {"filter": {"q": "maria silva"}})


def measure(client: httpx.Client, query: Query) -> float:
    """Milliseconds until the response. A 400 that takes long is the time limit, and counts."""
    started = time.perf_counter()
    if query.path.startswith("/"):
        response = client.get(query.path, params=query.params)
    else:
        response = client.post("/graphql", json={"query": query.path, "variables": query.params})
    milliseconds = (time.perf_counter() - started) * 1000
    if (not response.is_success and milliseconds < MAX_SLOWEST_MS / 2) or "errors" in response.json():
        raise SystemExit(f"{query.name}: {response.status_code} {response.text[:300]}")
    return milliseconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lists", description=__doc__)
    parser.add_argument("--charges", type=int, default=1_000_000)
    parser.add_argument("--store", type=Path, help="a directory that bench.store has filled, or that is filled now")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    exists = options.store is not None and options.store.exists()
    with open_servers(options.store) as servers:
        if not exists:
            asyncio.run(fill(servers.database, options.charges))
        with run_api(servers) as (port, _), open_client(port, KEY) as client:
            queries = list(queries_of(SampleValues(client)))
            times: dict[str, list[float]] = {query.name: [] for query in queries}
            for number in range(options.rounds + 1):
                for query in queries:
                    milliseconds = measure(client, query)
                    if number:  # The first round fills the caches.
                        times[query.name].append(milliseconds)
    print(f"{'ms of ' + str(options.rounds) + ' rounds':58} {'p50':>8} {'p95':>8} {'slowest':>8}")
    for name, each in sorted(times.items(), key=lambda item: -max(item[1])):
        print(f"{name:58} {percentile(each, 0.5):8.1f} {percentile(each, 0.95):8.1f} {max(each):8.1f}")
    every = [one for each in times.values() for one in each]
    note = f"p50 {percentile(every, 0.5):.1f} ms of {len(queries)} queries"
    leave(
        [
            check("lists, p95", percentile(every, 0.95), MAX_P95_MS, "ms", note=note),
            check(HOME, percentile(times[HOME], 0.5), MAX_HOME_MS, "ms"),
            check("lists, slowest response", max(every), MAX_SLOWEST_MS, "ms"),
        ]
    )


if __name__ == "__main__":
    main()
