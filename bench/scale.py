"""Whether reading stays flat as a store grows: `python -m bench.store a --charges 10000`, the same for more in `b` and
`c`, and then `python -m bench.scale a b c`.

Every kind of list, filter, order, search, total, export, summary and checkout read of the large store, through the
operations that the doors call, and every statement of a job, in a transaction that is rolled back. The stores take
turns, and all is asked five times over; each time is the median of the five, but for whole exports, told as a ratio
to the smallest store's. What counts or orders all that it finds is told apart, with how much that is, and so is what
takes longer and shows more rows in the largest store than in the smallest, whose page it doesn't fill. `--plots DIR`
draws them, `--only REGEX` asks some of the questions.
"""

import argparse
import json
import re
import resource
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

import uvloop
from sqlalchemy import text

from bench.plot import Line, plot
from bench.store import STORE
from gateway.embedded import EmbeddedPostgres
from gateway.models.base import Environment
from gateway.models.database import Database, Statement
from gateway.models.migrate import upgrade
from gateway.resolvers.actor import Actor, Credential
from gateway.resolvers.audit import sealing
from gateway.resolvers.audit.inputs import ListAudit
from gateway.resolvers.audit.reading import export_audit, list_audit
from gateway.resolvers.charges import expire
from gateway.resolvers.charges.list_inputs import ListCharges
from gateway.resolvers.charges.listing import CHARGES, export_charges, list_charges
from gateway.resolvers.charges.views import ChargeView
from gateway.resolvers.checkout.read_charge import find_public_charge
from gateway.resolvers.context import Context, Services, system_context
from gateway.resolvers.customers.inputs import ListCustomers
from gateway.resolvers.customers.reading import list_customers
from gateway.resolvers.inputs import Nothing
from gateway.resolvers.listing.exports import Export
from gateway.resolvers.listing.sweep import sweep_lists
from gateway.resolvers.mail import claims as mail_claims
from gateway.resolvers.mail import housekeeping as mail_housekeeping
from gateway.resolvers.reconciliation import checks
from gateway.resolvers.subscriptions import due
from gateway.resolvers.subscriptions.inputs import ListSubscriptions
from gateway.resolvers.subscriptions.reading import list_subscriptions
from gateway.resolvers.subscriptions.scope import StoreScope
from gateway.resolvers.views import Page
from gateway.resolvers.webhooks import backlog, claims, housekeeping
from gateway.resolvers.webhooks.counting import count_deliveries
from gateway.resolvers.webhooks.delivery_log import list_deliveries
from gateway.resolvers.webhooks.inputs import ListDeliveries
from gateway.resolvers.withdrawals import folding
from gateway.resolvers.withdrawals.inputs import ListWithdrawals
from gateway.resolvers.withdrawals.reading import list_withdrawals
from gateway.resolvers.withdrawals.summary import summarise
from gateway.services import open_services
from gateway.settings import load_settings
from gateway.telemetry import configure_logging

Ask: TypeAlias = Callable[[], Awaitable[Any]]
ROUNDS, RUNS, MOST_SECONDS = 5, 3, 1.0
"""A question is asked at so many moments of a run, minutes apart, each time so often, or at least once for what takes
long. A machine is slow for seconds, and what needs its caches most is slowed down most: of ninety such moments of a
search that takes 2.3 times as long, eight told more than three.
"""
WARM = 6
"""As often it is asked before: PostgreSQL plans the first five times anew."""
FLAT = 3.0
"""How many times the smallest store's time is still called flat, a hundred times larger: what
caches and noise make of it.
"""
GROWS = "grows: "
"""How the questions begin whose answers are of more rows in a larger store, each of
which is counted or put in order.
"""
COUNTS = (GROWS, "counted: ")
"""And those of which as many are counted as pays."""
LONG_AGO = "2026-01-01T00:00:00Z"


class Facts:
    """What the questions ask about: values that the store has."""

    def __init__(self, row: Any, now: datetime) -> None:
        self.row, self.now = row, now

    def day(self, ago: int) -> str:
        return (self.now - timedelta(days=ago)).date().isoformat()


FACTS = Statement(
    text("""
with sample as (select * from charges where user_id = :store and status = 'paid' order by created_at desc offset 50 limit 1)
select sample.txid, sample.id, sample.customer_email, sample.customer_cpf, sample.external_reference, sample.end_to_end_id,
       (select count(*) from charges where user_id = :store) as charges,
       (select customer_id from charges where user_id = :store and customer_id is not null
           and product_id is distinct from (select id from products where user_id = :store and sku = 'SKU-1') limit 1) as customer_id,
       (select customer_id from charges where user_id = :store
           and product_id = (select id from products where user_id = :store and sku = 'SKU-1') limit 1) as bought_most,
       (select id from products where user_id = :store and sku = 'SKU-11') as product_id,
       (select id from products where user_id = :store and sku = 'SKU-1') as sold_most,
       (select id from products where user_id = :store and sku = 'SKU-2') as sold_as_much,
       (select coupon_id from charges where user_id = :store and coupon_id is not null limit 1) as coupon_id,
       (select payment_link_id from charges where user_id = :store and payment_link_id is not null limit 1) as payment_link_id,
       (select subscription_id from charges where user_id = :store and subscription_id is not null limit 1) as subscription_id,
       (select id from webhook_endpoints where user_id = :store) as endpoint_id,
       (select event_id from webhook_deliveries where endpoint_id in (select id from webhook_endpoints where user_id = :store)
         order by created_at desc limit 1) as event_id,
       (select resource_id from audit_records where store_id = :store limit 1) as resource_id,
       (select ip from audit_records where store_id = :store and actor_type = 'public' limit 1) as payer_ip,
       (select email from customers where user_id = :store limit 1) as email,
       middle.id as middle_id, middle.created_at as middle_created_at, middle.updated_at as middle_updated_at,
       middle.paid_at as middle_paid_at, middle.amount as middle_amount
  from sample,
       (select * from charges where user_id = :store and status = 'paid' order by created_at desc
        offset (select count(*) / 3 from charges where user_id = :store) limit 1) middle
""")
)


def charge_filters(facts: Facts) -> dict[str, dict[str, str]]:
    row = facts.row
    same = ("customer_id", "product_id", "coupon_id", "payment_link_id", "subscription_id", "txid", "end_to_end_id")
    return {
        "no filter": {},
        **{f"status={name}": {"status": name} for name in ("pending", "paid", "expired", "canceled", "refunded")},
        **{name: {name: str(row[name])} for name in same},
        "external_reference": {"external_reference": "PED-2"},
        "a day of creation": {"created_from": facts.day(40), "created_to": facts.day(40)},
        "a year of creation": {"created_from": facts.day(364), "created_to": facts.day(1)},
        "a day of payment": {"paid_from": facts.day(40), "paid_to": facts.day(40)},
        "a year of payment": {"paid_from": facts.day(364), "paid_to": facts.day(1)},
        "a rare amount": {"amount_min": "500", "amount_max": "500.02"},
        "most amounts": {"amount_min": "50"},
        "paid, of a day": {"status": "paid", "created_from": facts.day(40), "created_to": facts.day(40)},
    }


def searches(facts: Facts) -> dict[str, str]:
    row = facts.row
    return {
        "of nothing there is": "xyzzy plugh",
        "of one e-mail": row["customer_email"],
        "of one document": row["customer_cpf"],
        "of one txid": row["txid"],
        "of a part of an id": row["txid"][5:20],
        "of a reference": str(row["external_reference"] or "PED-24"),
        "of a common name": "maria silva",
        "of an order's number": "pedido 1234",
        "of a part of a phone number": "(11) 91234",
    }


SLICE = {"slice": {"first": 50, "after": None, "last": None, "before": None}}


@dataclass(frozen=True)
class Questions:
    """Everything that a merchant, a payer or their machines may ask, by name."""

    ctx: Context
    facts: Facts
    asked: dict[str, Ask] = field(default_factory=dict)

    def add(self, name: str, act: Any, kind: Any, **given: Any) -> None:
        order = kind.from_draft(given)
        self.asked[name] = lambda: act(self.ctx, order)

    def cursor(self, sort: str) -> str:
        """Where a charge from the middle of the store stands in an order."""
        order, row = CHARGES.order(sort), self.facts.row
        place = {order.column.name: row[f"middle_{order.column.name}"]}
        return order.cursor(ChargeView.model_construct(id=row["middle_id"], **place))

    @property
    def digits(self) -> str:
        """The first digits of some thousand numbers of charges, and of customers, however many there are."""
        return "123456789"[: len(str(self.facts.row["charges"])) - 4]

    @property
    def some_days(self) -> dict[str, str]:
        """A period of payment that has some thousand charges, however many there are."""
        days = max(364 * 10_000 // int(self.facts.row["charges"]), 1)
        return {"paid_from": self.facts.day(40 + days), "paid_to": self.facts.day(41)}

    @property
    def pages(self) -> int:
        """Pages of a hundred charges."""
        return int(self.facts.row["charges"]) // 100


def questions(ctx: Context, facts: Facts) -> dict[str, Ask]:
    asked = Questions(ctx, facts)
    about_lists = (about_charges, about_deep_pages, about_filters_together, about_customers, about_audit)
    about_reading = (about_reading_on, about_other_periods, about_what_seldom_meets)
    for ask in (*about_lists, *about_reading, about_the_rest, about_what_is_counted):
        ask(asked)
    return asked.asked


def about_charges(asked: Questions) -> None:
    for name, filters in charge_filters(asked.facts).items():
        asked.add(f"charges: slice, {name}", list_charges, ListCharges, **filters, **SLICE)
        asked.add(f"charges: page with total, {name}", list_charges, ListCharges, **filters, page="1")
    for column in ("created_at", "updated_at", "paid_at", "expires_at", "amount"):
        for sort in (f"-{column}", column):
            asked.add(f"charges: page by {sort}", list_charges, ListCharges, sort=sort, page="1")
    asked.add("charges: all up to 5000", list_charges, ListCharges)
    for name, q in searches(asked.facts).items():
        asked.add(f"charges: search {name}", list_charges, ListCharges, q=q, **SLICE)
    for kind, q in (("a common name", "maria silva"), ("a common word", "café")):
        asked.add(f"charges: search by amount, of {kind}", list_charges, ListCharges, q=q, sort="-amount", **SLICE)
    asked.add("charges: search with total, of a common name", list_charges, ListCharges, q="maria silva", page="1")
    week = {"created_from": asked.facts.day(47), "created_to": asked.facts.day(40)}
    for kind, q in (("a common name", "maria silva"), ("nothing there is", "xyzzy plugh")):
        asked.add(f"charges: search in a week, of {kind}", list_charges, ListCharges, q=q, **week, **SLICE)
        asked.add(f"charges: search with total, in a week, of {kind}", list_charges, ListCharges, q=q, **week, page="1")
    asked.add("charges: search of two letters", list_charges, ListCharges, q="ma", **SLICE)
    asked.add("charges: search with total, of two letters that nobody has", list_charges, ListCharges, q="zw", page="1")
    some = f"pedido {asked.digits}"
    asked.add("charges: search with total, of some thousand", list_charges, ListCharges, q=some, page="1")
    asked.add("charges: search by amount, of some thousand", list_charges, ListCharges, q=some, sort="-amount", **SLICE)


def about_deep_pages(asked: Questions) -> None:
    for name, number in (("in the middle", asked.pages // 2), ("at the end", asked.pages)):
        for sort, order in (("-created_at", ""), ("created_at", "ascending, ")):
            given = {"page": str(number), "limit": "100", "sort": sort}
            asked.add(f"charges: deep page, {order}{name}", list_charges, ListCharges, **given)
    middle = {"page": str(asked.pages // 2), "limit": "100"}
    for sort in ("-amount", "amount", "-paid_at", "paid_at", "-updated_at"):
        asked.add(f"charges: deep page, by {sort}", list_charges, ListCharges, **middle, sort=sort)
        asked.add(f"charges: page 50, by {sort}", list_charges, ListCharges, page="50", limit="100", sort=sort)
    quarter = middle | {"page": str(asked.pages // 4)}
    for status in ("paid", "expired"):
        asked.add(f"charges: deep page, {status}", list_charges, ListCharges, **quarter, status=status)
    for sort in ("-amount", "-paid_at"):
        asked.add(
            f"charges: deep page, paid, by {sort}", list_charges, ListCharges, **quarter, status="paid", sort=sort
        )
    asked.add("charges: deep page, of a year", list_charges, ListCharges, **quarter, created_from=asked.facts.day(364))
    asked.add(
        "charges: deep page, of most amounts", list_charges, ListCharges, **quarter, amount_min="50", sort="amount"
    )
    asked.add("charges: deep page, of most amounts by creation", list_charges, ListCharges, **quarter, amount_min="50")
    day, year = {"paid_from": asked.facts.day(40), "paid_to": asked.facts.day(40)}, {"paid_from": asked.facts.day(364)}
    asked.add("charges: deep page, of a year of payment", list_charges, ListCharges, **quarter, **year, sort="-paid_at")
    asked.add(
        "charges: page 2, of a day of payment by creation", list_charges, ListCharges, **day, limit="10", page="2"
    )
    asked.add("charges: page 20, of a year of payment by creation", list_charges, ListCharges, **year, page="20")


def about_filters_together(asked: Questions) -> None:
    """Of a period of creation, and two that each find many: the page that is read most, its
    total, and a page in the middle.
    """
    facts, row = asked.facts, asked.facts.row
    year = {"created_from": facts.day(300), "created_to": facts.day(20)}
    month = {"paid_from": facts.day(60), "paid_to": facts.day(30)}
    many, product = {"amount_min": "50"}, {"product_id": str(row["product_id"])}
    filters = {
        "paid, of a year": {"status": "paid"} | year,
        "expired, of a year": {"status": "expired"} | year,
        "a product, of a year": product | year,
        "most amounts, of a year": many | year,
        "a month of payment, of a year": month | year,
        "paid, in a month": {"status": "paid"} | month,
        "paid, a product": {"status": "paid"} | product,
        "paid, most amounts": {"status": "paid"} | many,
        "refunded, most amounts": {"status": "refunded"} | many,
        "paid, most amounts, of a year": {"status": "paid"} | many | year,
        "paid, a product, of a year": {"status": "paid"} | product | year,
    }
    for name, given in filters.items():
        asked.add(f"charges: together, slice, {name}", list_charges, ListCharges, **given, **SLICE)
        asked.add(f"charges: together, page with total, {name}", list_charges, ListCharges, **given, page="1")
    deep = ("paid, of a year", "expired, of a year", "most amounts, of a year", "a month of payment, of a year")
    for name in (*deep, "paid, most amounts", "paid, most amounts, of a year"):
        share = 30 if "month" in name else 4
        page = {"page": str(asked.pages // share), "limit": "100"}
        asked.add(f"charges: together, deep page, {name}", list_charges, ListCharges, **filters[name], **page)
    three = many | {"status": "paid"} | asked.some_days
    asked.add(
        "charges: together, page with total, three, of some thousand", list_charges, ListCharges, **three, page="1"
    )
    asked.add("charges: together, by -amount, of a year", list_charges, ListCharges, **year, sort="-amount", page="1")


def about_customers(asked: Questions) -> None:
    email = asked.facts.row["email"]
    for name in ("created_at", "updated_at", "name"):
        asked.add(f"customers: page by {name}", list_customers, ListCustomers, sort=name, page="1")
    year = {"created_from": asked.facts.day(300), "created_to": asked.facts.day(20)}
    asked.add("customers: page by name, of a year", list_customers, ListCustomers, **year, sort="name", page="1")
    asked.add("customers: slice by cpf", list_customers, ListCustomers, cpf="52998224725", **SLICE)
    asked.add("customers: slice by email", list_customers, ListCustomers, email=email, **SLICE)
    for sort in ("-created_at", "name", "-updated_at"):
        deep = {"page": str(asked.pages // 10), "limit": "100", "sort": sort}
        asked.add(f"customers: deep page by {sort}", list_customers, ListCustomers, **deep)
    sought = {"of one e-mail": email, "of nothing there is": "xyzzy plugh", "of a common name": "maria"}
    for name, q in sought.items():
        asked.add(f"customers: search {name}", list_customers, ListCustomers, q=q, **SLICE)
    asked.add("customers: search of two letters", list_customers, ListCustomers, q="ma", **SLICE)
    asked.add("customers: search with total, of a common name", list_customers, ListCustomers, q="maria", page="1")
    some = f"pagador{asked.digits}"
    asked.add("customers: search with total, of some thousand", list_customers, ListCustomers, q=some, page="1")
    asked.add(
        "customers: search by name, of some thousand", list_customers, ListCustomers, q=some, sort="name", **SLICE
    )


def about_audit(asked: Questions) -> None:
    filters = {
        "no filter": {},
        "action": {"action": "coupon.updated"},
        "resource_type": {"resource_type": "coupon"},
        "resource_id": {"resource_id": asked.facts.row["resource_id"]},
        "actor_id": {"actor_id": "019aa000-0000-7000-8000-0000000000b1"},
        "actor_type": {"actor_type": "user"},
        "a day": {"created_from": asked.facts.day(40), "created_to": asked.facts.day(40)},
    }
    for name, given in filters.items():
        asked.add(f"audit: slice, {name}", list_audit, ListAudit, **given, **SLICE)
        asked.add(f"audit: page with total, {name}", list_audit, ListAudit, **given, page="1")
    asked.add("audit: deep page", list_audit, ListAudit, page=str(asked.pages * 2), limit="100")
    middle = {"page": str(asked.pages // 2), "limit": "100"}
    asked.add("audit: deep page, action", list_audit, ListAudit, action="charge.paid", **middle)
    key = {"resource_type": "charge", "actor_id": "019aa000-0000-7000-8000-0000000000b1"}
    asked.add("audit: deep page, of a search", list_audit, ListAudit, q="loja", **middle)
    asked.add("audit: deep page, what a key does", list_audit, ListAudit, **key, **middle)
    for name, q in {
        "nothing there is": "xyzzy plugh",
        "an address": "203.0.113",
        "a payer's address": asked.facts.row["payer_ip"],
        "a network": "177.0.0.",
        "a rare action": "coupon.",
        "a common name": "loja",
        "an id": asked.facts.row["resource_id"],
    }.items():
        asked.add(f"audit: search of {name}", list_audit, ListAudit, q=q, **SLICE)
        asked.add(f"audit: search with total, of {name}", list_audit, ListAudit, q=q, page="1")
    year = {"created_from": asked.facts.day(364), "created_to": asked.facts.day(1)}
    for name, q in {"an address": "203.0.113", "a rare action": "coupon.", "a common name": "loja"}.items():
        asked.add(f"audit: search in a year, of {name}", list_audit, ListAudit, q=q, **year, **SLICE)
        asked.add(f"audit: search with total, in a year, of {name}", list_audit, ListAudit, q=q, **year, page="1")

    filters = {
        "what a person never does": {"action": "charge.paid", "actor_type": "user"},
        "what an address never does": {"q": "203.0.113", "action": "charge.paid"},
        "what a key does": key,
        "what comes one way": {"actor_type": "user", "source": "graphql", "action": "coupon.updated"},
        "a name and its act": {"q": "loja", "action": "charge.created"},
        "a name and what others do": {"q": "loja", "action": "charge.paid"},
    }
    for name, given in filters.items():
        asked.add(f"audit: together, slice, {name}", list_audit, ListAudit, **given, **SLICE)
        asked.add(f"audit: together, page with total, {name}", list_audit, ListAudit, **given, page="1")
        asked.add(f"audit: together, in a year, {name}", list_audit, ListAudit, **given, **year, page="1")


def about_the_rest(asked: Questions) -> None:
    for status in ("active", "paused"):
        asked.add(f"subscriptions: page, {status}", list_subscriptions, ListSubscriptions, status=status, page="1")
    for column in ("created_at", "next_billing_at", "-updated_at", "-amount"):
        asked.add(f"subscriptions: page by {column}", list_subscriptions, ListSubscriptions, sort=column, page="1")
    asked.add("subscriptions: page, monthly", list_subscriptions, ListSubscriptions, interval="monthly", page="1")
    for name, q in (("nothing there is", "xyzzy plugh"), ("a common name", "maria silva")):
        asked.add(f"subscriptions: search of {name}", list_subscriptions, ListSubscriptions, q=q, **SLICE)
    for status in ("", "delivered", "exhausted", "pending"):
        name = status or "no filter"
        given = {"id": asked.facts.row["endpoint_id"]} | ({"status": status} if status else {})
        asked.add(f"deliveries: slice, {name}", list_deliveries, ListDeliveries, **given, **SLICE)
        asked.add(f"deliveries: page with total, {name}", list_deliveries, ListDeliveries, **given, page="1")
    row = asked.facts.row
    endpoint, day = {"id": row["endpoint_id"]}, {"created_from": asked.facts.day(20), "created_to": asked.facts.day(20)}
    for name, given in {
        "of an event": {"event_id": row["event_id"]},
        "of a charge": {"resource_id": row["id"]},
        "of a day": day,
        "delivered, of a day": day | {"status": "delivered"},
        "search of an event": {"q": row["event_id"]},
        "search of nothing there is": {"q": "xyzzy"},
        "search of an error": {"q": "timeout"},
    }.items():
        asked.add(f"deliveries: slice, {name}", list_deliveries, ListDeliveries, **endpoint, **given, **SLICE)
        asked.add(f"deliveries: page with total, {name}", list_deliveries, ListDeliveries, **endpoint, **given)
    asked.add("withdrawals: page", list_withdrawals, ListWithdrawals, page="1")
    asked.add("withdrawals: summary", summarise, Nothing)
    asked.asked["checkout: a charge"] = lambda: find_public_charge(asked.ctx, asked.facts.row["txid"])


def about_reading_on(asked: Questions) -> None:
    """Whatever is found, and in whatever order, by cursor: from the first row on, and from the middle."""
    facts, product = asked.facts, {"product_id": str(asked.facts.row["product_id"])}
    many, paid, year = {"amount_min": "50"}, {"status": "paid"}, {"paid_from": facts.day(364)}
    earlier, most = (
        {"created_from": facts.day(300), "created_to": facts.day(20)},
        {"product_id": str(facts.row["sold_most"])},
    )
    of_one = {"customer_id": str(facts.row["bought_most"])}
    found: dict[str, dict[str, str]] = {
        "everything": {},
        "most amounts": many,
        "paid, most amounts": many | paid,
        "paid, most amounts, of a year of payment": many | paid | year,
        "most amounts of a product": many | product,
        "paid, of an earlier period": paid | earlier,
        "paid, most amounts, of an earlier period": many | paid | earlier,
        "what is sold most": most,
        "what is sold most, paid": most | paid,
        "what is sold most, expired": most | {"status": "expired"},
        "what is sold most, of an earlier period": most | earlier,
        "what is sold most, of a year of payment": most | year,
        "of who bought most": of_one,
        "of who bought most, expired": of_one | {"status": "expired"},
        "of who bought most, of a year of payment": of_one | year,
        "a search of a common name": {"q": "maria silva"},
        "a search of a first name": {"q": "maria"},
        "a search of what all say": {"q": "pedido"},
        "a search of a first name, paid": {"q": "maria"} | paid,
        "a search of a first name, most amounts of a product": {"q": "maria"} | many | product,
    }
    for sort in ("-created_at", "-amount", "-paid_at", "-updated_at"):
        for name, given in found.items():
            for place, after in (("begin", ""), ("go on", asked.cursor(sort))):
                name_ = f"reading: {place}, {name}, by {sort}"
                asked.add(name_, list_charges, ListCharges, **given, sort=sort, limit="100", after=after)


def about_other_periods(asked: Questions) -> None:
    """Periods wherever they lie and however long they are, in every order."""
    for days, until in ((1, 3), (1, 200), (7, 60), (7, 330), (50, 20), (50, 200), (150, 100)):
        period = {"created_from": asked.facts.day(until + days), "created_to": asked.facts.day(until)}
        for name, given in {"": period, "paid, ": period | {"status": "paid"}}.items():
            for column in ("paid_at", "updated_at", "amount", "expires_at"):
                for sort in (f"-{column}", column):
                    name_ = f"periods: {name}{days} days until {until} days ago, by {sort}"
                    asked.add(name_, list_charges, ListCharges, **given, sort=sort, limit="100", after="")
        page: dict[str, str] = period | {"limit": "100", "after": ""}
        for sort in ("name", "-updated_at"):
            name_ = f"periods: customers, {days} days until {until} days ago, by {sort}"
            asked.add(name_, list_customers, ListCustomers, **page, sort=sort)
        for sort in ("next_billing_at", "-updated_at", "-amount"):
            name_ = f"periods: subscriptions, {days} days until {until} days ago, by {sort}"
            asked.add(name_, list_subscriptions, ListSubscriptions, **page, sort=sort)


def about_what_seldom_meets(asked: Questions) -> None:
    """Filters and searches that find many rows each, and hardly one together: no page is ever full. First those that
    no charge can be, then those that none is.
    """
    facts = asked.facts
    paid_before = {"paid_to": facts.day(200), "created_from": facts.day(190)}
    expired: dict[str, str] = {"status": "expired"}
    sold, at_another_price = str(facts.row["sold_most"]), {"amount_min": "20"}
    both, bought = expired | {"paid_from": facts.day(364)}, str(facts.row["bought_most"])
    found = {
        "expired and paid": both,
        "expired, most amounts and paid": both | {"amount_min": "50"},
        "a first name, expired and paid": both | {"q": "maria"},
        "what all say, expired and paid": both | {"q": "pedido"},
        "what all say, paid before it was created": paid_before | {"q": "pedido"},
        "most amounts, paid before it was created": paid_before | {"amount_min": "50"},
        "a first name, expired": expired | {"q": "maria"},
        "a first name, refunded": {"q": "maria", "status": "refunded"},
        "a product at another price": at_another_price | {"product_id": sold},
        "a product's name at another price": at_another_price | {"q": "canecas"},
        "a product's name, of another one": {"q": "canecas", "product_id": str(facts.row["sold_as_much"])},
        "what all say, of a product at another price": at_another_price | {"q": "pedido", "product_id": sold},
        "a product's name at prices that it never had": {"q": "canecas", "amount_min": "500"},
        "what another product is called, of who bought most": {"q": "chapeus", "customer_id": bought},
        "what nobody is called, of who bought most": {"q": "zzqx", "customer_id": bought},
    }
    for name, given in found.items():
        for sort in ("-created_at", "-paid_at", "-amount"):
            for way, window in (("page", {"page": "1"}), ("by cursor", {"after": ""})):
                asked.add(f"seldom: {way}, {name}, by {sort}", list_charges, ListCharges, **given, **window, sort=sort)


def about_what_is_counted(asked: Questions) -> None:
    """Pages with totals that nothing tells, of what a hundred times as many rows of a hundred times larger store have:
    as far as they are counted, and to their end. That grows, and so does a page deep in a search.
    """
    many, paid = {"amount_min": "50"}, {"status": "paid"}
    by_payment, deep = {"sort": "-paid_at"}, {"page": str(asked.pages // 4), "limit": "100"}
    year, product = {"paid_from": asked.facts.day(364)}, {"product_id": str(asked.facts.row["product_id"])}
    earlier = {"created_from": asked.facts.day(300), "created_to": asked.facts.day(20)}
    charges: dict[str, dict[str, str]] = {
        "whose total is of a common name": {"q": "maria silva"},
        "whose total is of a first name": {"q": "maria"},
        "whose total is of what all say": {"q": "pedido"},
        "whose total is of a first name, paid": {"q": "maria"} | paid,
        "whose total is of what all say, paid": {"q": "pedido"} | paid,
        "whose total is of two ranges": many | paid | year,
        "the largest of a common name": {"q": "maria silva", "sort": "-amount"},
        "the largest of a first name": {"q": "maria", "sort": "-amount"},
        "the last paid of two filters": many | product | by_payment,
        "the last paid of an earlier period": many | paid | earlier | by_payment,
        "a deep page of what all say": {"q": "pedido"} | deep,
        "a deep page of a range, in another order": many | by_payment | deep,
    }
    for name, given in charges.items():
        page = {"page": "1"} | given
        if "deep page" not in name:
            asked.add(f"counted: charges, {name}", list_charges, ListCharges, **page)
        asked.add(f"{GROWS}charges, {name}", list_charges, ListCharges, **page, total="exact")
    for name, given in {"whose total is of a name": {}, "the first of a name": {"sort": "name"}}.items():
        page = {"q": "maria", "page": "1"} | given
        asked.add(f"counted: customers, {name}", list_customers, ListCustomers, **page)
        asked.add(f"{GROWS}customers, {name}", list_customers, ListCustomers, **page, total="exact")


def jobs(now: datetime) -> dict[str, tuple[Statement, dict[str, Any]]]:
    """The statements of the worker, with what they bind."""
    old, ahead = now - timedelta(days=3), now + timedelta(minutes=5)
    looking = {"environment": Environment.live.value, "now": now}
    scope = StoreScope(Environment.live)
    billed = due.Due(scope, as_of=now, now=now, at_once=True).values()
    return {
        "claim of webhooks": (
            claims.CLAIM,
            claims.claim_values(timedelta(minutes=1), room=50, retry_room=12, degraded_room=12),
        ),
        "backlog of webhooks": (backlog.BACKLOG, {"most": backlog.COUNTED_AT_MOST, "stuck_after": backlog.STUCK_AFTER}),
        "canceling for endpoints that are off": (housekeeping.CANCEL, {"batch": 1000}),
        "clearing deleted endpoints": (housekeeping.EMPTY_DELETED, {"batch": 1000}),
        "forgetting deliveries": (housekeeping.FORGET_DELIVERIES, {"days": 28, "batch": 200}),
        "forgetting events": (housekeeping.FORGET_EVENTS, {"days": 28, "batch": 200}),
        "claim of mails": (mail_claims.CLAIM, {"room": 50, "lease": timedelta(minutes=1)}),
        "mails that wait": (mail_housekeeping.WAITING, {}),
        "forgetting mails": (mail_housekeeping.FORGET, {"days": 28, "batch": 200}),
        "expiring charges": (expire.EXPIRE, {"now": now, "check_at": ahead}),
        "charges to look at": (checks.CLAIM, looking | {"lease": ahead, "room": 50}),
        "enrolling old charges": (checks.ENROL, {"now": now, "oldest": old, "most": 1000}),
        "due subscriptions": (due.CLAIMED_PAGE.of(scope), billed),
        "folding balances": (folding.FOLD, {}),
        "sealing: is there anything": (sealing.ANYTHING, {}),
        "sealing: heads of chains": (sealing.HEADS, {"chains": [STORE]}),
    }


async def in_turns(asks: Sequence[Ask]) -> list[list[float]]:
    """What each takes at this moment, in milliseconds, when it is warm. They take turns, so that a slow moment of the
    machine favours nobody.
    """
    times: list[list[float]] = [[] for _ in asks]
    began = time.perf_counter()
    most = MOST_SECONDS * len(asks)
    while len(times[0]) < 3 or (len(times[0]) < WARM + RUNS and time.perf_counter() - began < most):
        for ask, taken in zip(asks, times, strict=True):
            started = time.perf_counter()
            await ask()
            taken.append((time.perf_counter() - started) * 1000)
    return [taken[min(WARM, len(taken) - 1) :] for taken in times]


def rolled_back(database: Database, statement: Statement, values: dict[str, Any]) -> Ask:
    async def act() -> None:
        async with database.pool.acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            try:
                await connection.fetch(statement.sql, *statement.arguments(values))
            finally:
                await transaction.rollback()

    return act


EXPORTS: dict[str, Callable[[Context, Any], Awaitable[Export]]] = {
    "charges": export_charges,
    "audit trail": export_audit,
}


def first_row(ctx: Context, export: Callable[[Context, Any], Awaitable[Export]]) -> Ask:
    """What an export of all that there are does until its first row is there."""

    async def act() -> None:
        async with aclosing((await export(ctx, {})).rows) as stream:
            await anext(stream)

    return act


async def thousand_rows(ctx: Context, name: str) -> float:
    """Milliseconds for each thousand rows of a whole export, which is made once; told are its rows, and by how many
    megabytes the process grew meanwhile.
    """
    before, started, rows = _peak(), time.perf_counter(), 0
    async with aclosing((await EXPORTS[name](ctx, {})).rows) as stream:
        async for _ in stream:
            rows += 1
    seconds = time.perf_counter() - started
    print(f"  export of the {name}: {rows} rows, process grew by {_peak() - before:.0f} MB", flush=True)
    return seconds * 1e6 / rows


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Told(NamedTuple):
    """What a store of so many charges told: the milliseconds of each question, and how many rows a list shows, or finds
    if it is one that grows.
    """

    charges: int
    times: dict[str, float]
    rows: dict[str, int]


class Store(NamedTuple):
    """A store that is being asked: how many charges it has, its owner, and every question by name."""

    charges: int
    owner: Context
    asked: dict[str, Ask]


async def prepared(services: Services) -> Store:
    """The store, as it is when the worker has been by."""
    ctx = system_context(services, source="rest", request_id="bench")
    started = time.perf_counter()
    if count := await sweep_lists(ctx):
        print(f"{count} milestones set in {time.perf_counter() - started:.1f} s", flush=True)
    await count_deliveries(ctx)
    # Also of what an earlier run has rolled back, which is a larger part of a smaller store.
    async with ctx.database.pool.acquire() as connection:
        await connection.execute("vacuum (analyze)", timeout=900)
    ctx = ctx.acting_as(Actor(Credential.session, Environment.live, STORE, STORE, "Ana", "Loja"))
    row = await ctx.database.one(FACTS, store=STORE)
    assert row is not None
    now = datetime.now(UTC)
    statements = {f"jobs: {name}": rolled_back(ctx.database, *told) for name, told in jobs(now).items()}
    begun = {f"exports: first row of the {name}": first_row(ctx, export) for name, export in EXPORTS.items()}
    return Store(row["charges"], ctx, questions(ctx, Facts(row, now)) | statements | begun)


async def measure(urls: Sequence[str], only: str) -> list[Told]:
    """What each question takes in each of the stores."""
    async with AsyncExitStack() as stack:
        stores: list[Store] = []
        for url in urls:
            settings = load_settings(database_url=url, redis_url="redis://127.0.0.1:1", secret_key="x" * 32)
            stores.append(await prepared(await stack.enter_async_context(open_services(settings))))
        stores.sort(key=lambda store: store.charges)
        told = [Told(store.charges, {}, {}) for store in stores]
        names = [name for name in stores[0].asked if re.search(only, name)]
        taken: dict[str, list[list[float]]] = {name: [[] for _ in stores] for name in names}
        for name in ROUNDS * names:
            times = await in_turns([store.asked[name] for store in stores])
            print(f"  {name}: {', '.join(f'{median(one):.2f}' for one in times)} ms", flush=True)
            taken[name] = [before + now for before, now in zip(taken[name], times, strict=True)]
        for name in names:
            for known, store, one in zip(told, stores, taken[name], strict=True):
                known.times[name] = median(one)
                if isinstance(answer := await store.asked[name](), Page):
                    found = answer.total if name.startswith(COUNTS) else None
                    known.rows[name] = len(answer.items) if found is None else found
        for what in EXPORTS:
            if re.search(only, name := f"exports: 1,000 rows of the {what}"):
                for known, store in zip(told, stores, strict=True):
                    known.times[name] = await thousand_rows(store.owner, what)
    return told


def report(stores: list[Told], options: argparse.Namespace) -> None:
    """A table with ratios to the smallest store, one of what has more rows in a larger one, and the plots."""
    sizes = " | ".join(f"{one.charges:,}" for one in stores)
    told = told_by_all(stores)
    longer = {name for name, times in told if times[-1] > max(FLAT * times[0], 1)}
    more = {name for name in longer if stores[-1].rows.get(name, 0) > stores[0].rows.get(name, 0)}
    more |= {name for name, _ in told if name.startswith(GROWS)}
    print(f"\n| what | {sizes} | ratio |\n|---|{'---|' * len(stores)}---|")
    for name, times in told:
        if name not in more:
            took = " | ".join(f"{one:.2f} ms" for one in times)
            print(f"| {name} | {took} | {times[-1] / times[0]:.1f}{' (!)' if name in longer else ''} |")
    print(f"\n| what has more rows | {sizes} | more rows | more time |\n|---|{'---|' * len(stores)}---|---|")
    for name, times in told:
        if name in more:
            rows = [one.rows[name] for one in stores]
            each = (f"{count:,} in {one:.1f} ms" for count, one in zip(rows, times, strict=True))
            ratio = rows[-1] / max(rows[0], 1)
            print(
                f"| {name.removeprefix(GROWS)} | {' | '.join(each)} | {ratio:.0f} times | {times[-1] / times[0]:.1f} times |"
            )
    if options.json:
        options.json.write_text(json.dumps(stores, indent=1) + "\n")
    if options.plots:
        options.plots.mkdir(parents=True, exist_ok=True)
        draw(stores, options.plots)


PLOTS = {
    "slices": ("Slices of charges, by filter", r"charges: slice, "),
    "totals": ("Pages of charges with their total, by filter", r"charges: page with total, "),
    "orders": ("Charges in each order", r"charges: (page by|all)"),
    "deep": ("Pages deep in a list of charges", r"charges: (deep page|page \d)"),
    "together": ("Charges by several filters", r"charges: together"),
    "searches": ("Searches", r".*: search"),
    "reading": ("Reading charges by cursor, whatever is found", r"reading: "),
    "others": (
        "Customers, audit trail, subscriptions, deliveries, checkout",
        r"(?!charges|reading|periods|seldom|counted|jobs|exports|grows)(?!.*search)",
    ),
    "periods": ("Charges of periods here and there, in every order", r"periods: "),
    "seldom": ("Charges of filters that seldom meet", r"seldom: "),
    "counted": ("Totals that are counted", r"counted: "),
    "grows": ("What is counted to its end, and pages deep in a search", GROWS),
    "jobs": ("Statements of the worker", r"jobs: "),
    "exports": ("Exports of all that there is", r"exports: "),
}


def told_by_all(stores: Sequence[Told]) -> list[tuple[str, list[float]]]:
    """The times of each question that all of them were asked."""
    names = [name for name in stores[0].times if all(name in one.times for one in stores)]
    return [(name, [one.times[name] for one in stores]) for name in names]


def draw(stores: list[Told], directory: Path) -> None:
    """One plot for each kind of question."""
    for name, (title, pattern) in PLOTS.items():
        lines = [Line(*one) for one in told_by_all(stores) if re.match(pattern, one[0])]
        if lines:
            picture = plot(f"{title}: milliseconds by charges in the store", [one.charges for one in stores], lines)
            (directory / f"scale-{name}.svg").write_text(picture)


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument(
        "stores", nargs="+", type=Path, help="directories that bench.store has filled, or the --json of a run"
    )
    parser.add_argument("--only", default="", help="a regular expression over the names of questions")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plots", type=Path)
    options = parser.parse_args()
    configure_logging("warning")
    filled = [store for store in options.stores if store.suffix != ".json"]
    runs = [json.loads(store.read_text()) for store in options.stores if store.suffix == ".json"]
    stores = [Told(*one) for run in runs for one in run]
    with ExitStack() as stack:
        urls = [stack.enter_context(EmbeddedPostgres(store, durable=False)) for store in filled]
        for url in urls:
            upgrade(url)
        if urls:
            stores += uvloop.run(measure(urls, options.only))
    report(sorted(stores, key=lambda one: one.charges), options)


if __name__ == "__main__":
    main()
