"""A store as it is after a busy year: `python -m bench.store DIR --charges 1000000`.

An embedded PostgreSQL in DIR with the real schema, filled set by set. Of one large store in production: so many charges
over a year, more of them lately, a fifth as many customers, five audit records a charge, an event and a delivery for
each thing that happened, subscriptions, products, coupons, links, withdrawals and the simulator's books. A tenth as
many charges and customers again belong to two hundred other stores, so that the tables aren't one merchant's.

Triggers rest and secondary indexes are made afterwards, which is what makes it quick; balances, seals and queues are
then filled as the triggers and the worker would have left them. Seals have the shape of a chain, and hashes of nothing.
"""

import argparse
import asyncio
import re
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import asyncpg

from gateway.embedded import EmbeddedPostgres
from gateway.models.migrate import upgrade

STORE = "019aa000-0000-7000-8000-0000000000aa"
OTHERS = 200
CHUNK = 200_000
_BIG = (
    "charges",
    "charges_first",
    "customers",
    "audit_records",
    "audit_seals",
    "webhook_events",
    "webhook_deliveries",
    "simulator_charges",
)
_QUICK = """
set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '128MB'
"""
FUNCTIONS = """
create function bench_id(kind int, n bigint, at timestamptz) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(kind), 3, '0')
            || '8' || lpad(to_hex(n), 15, '0'))::uuid
$$;
create function bench_subscription(n bigint, subscriptions bigint) returns table (id uuid, begun timestamptz) language sql immutable as $$
    select bench_id(7, n, at), at
      from (select {now} - interval '1 day' - interval '300 days' * (1 - n::float8 / subscriptions) as at) moment
$$;
create function bench_pick(n bigint, salt int, variants int) returns int language sql immutable as $$
    select (hashint8extended(n, salt) & 1073741823)::int % variants
$$;
create function bench_store(n bigint) returns uuid language sql immutable as $$
    select case when n % 11 > 0 then '019aa000-0000-7000-8000-0000000000aa'::uuid
                else ('019aa000-0000-7000-8000-' || lpad(to_hex(4096 + n / 11 % 200), 12, '0'))::uuid end
$$;
create function bench_bank(n bigint) returns text language sql immutable as $$
    select (array['18236120','18236120','18236120','00360305','60701190','60746948','00000000','90400888','10573521','22896431'])[1 + bench_pick(n, 9, 10)]
$$;
create function bench_name(n bigint) returns text language sql immutable as $$
    select (array['Maria','José','Ana','João','Antônio','Francisca','Carlos','Adriana','Paulo','Juliana','Pedro','Márcia','Lucas',
                  'Fernanda','Luiz','Patrícia','Marcos','Aline','Gabriel','Sandra','Rafael','Camila','Daniel','Amanda','Bruno',
                  'Jéssica','Felipe','Letícia','Rodrigo','Júlia'])[1 + bench_pick(n, 1, 30)] || ' ' ||
           (array['Silva','Santos','Oliveira','Souza','Rodrigues','Ferreira','Alves','Pereira','Lima','Gomes','Costa','Ribeiro',
                  'Martins','Carvalho','Almeida','Lopes','Soares','Fernandes','Vieira','Barbosa','Rocha','Dias','Nascimento',
                  'Andrade','Moreira','Nunes','Marques','Machado','Mendes','Freitas'])[1 + bench_pick(n, 2, 30)]
$$
"""
# Denser towards today: a shop that has doubled within the year. The newest are minutes old.
_AT = "{now} - interval '6 minutes' - interval '365 days' * (1 - sqrt(n::float8 / {rows}))"
_LONG_AGO = "timestamptz '2025-11-01 00:00:00+00'"
MONTHS = """
select make_audit_part((date_trunc('month', {now} at time zone 'UTC') - make_interval(months => n))::date) from generate_series(0, 13) n
"""
USERS = """
insert into users (id, name, email, company, cnpj, production_status, created_at, updated_at)
select bench_store(case when n = 0 then 1 else n * 11 end), 'Ana Lojista', 'ana' || n || '@example.com',
       'Loja ' || n, '11222333000181', 'approved', {now} - interval '366 days', {now}
  from generate_series(0, 200) n
"""
CATALOGUE = """
insert into products (id, user_id, environment, name, price, sku, created_at, updated_at)
select bench_id(1, n, {long_ago}), bench_store(1), 'live', 'Produto ' || n, 1000 + n, 'SKU-' || n, {now} - interval '300 days', {now}
  from generate_series(1, 200) n;
insert into coupons (id, user_id, environment, code, discount_type, discount_value, created_at, updated_at)
select bench_id(2, n, {long_ago}), bench_store(1), 'live', 'CUPOM' || n, 'percentage', 1000, {now} - interval '300 days', {now}
  from generate_series(1, 50) n;
insert into payment_links (id, user_id, environment, slug, amount, created_at, updated_at)
select bench_id(3, n, {long_ago}), bench_store(1), 'live', 'link' || lpad(n::text, 6, '0'), 4990, {now} - interval '300 days', {now}
  from generate_series(1, 100) n;
insert into webhook_endpoints (id, user_id, environment, name, url, secret, secret_preview, created_at, updated_at)
select bench_id(4, n, {long_ago}), bench_store(case when n = 0 then 1 else n * 11 end), 'live', 'loja', 'https://loja.example/hook', '\\x00', 'whsec_', {now}, {now}
  from generate_series(0, 200) n
"""
CUSTOMERS = """
insert into customers (id, user_id, environment, name, email, cpf, phone, created_at, updated_at)
select bench_id(5, n, at), bench_store(n), 'live', bench_name(n), 'pagador' || n || '@exemplo.com.br', lpad((n * 57885161 % 99999999999)::text, 11, '0'),
       '119' || lpad((n % 100000000)::text, 8, '0'), at, at
  from generate_series($1::bigint, $2::bigint) n cross join lateral (select {at} as at) moment
"""
# Two products have a tenth of the charges each, always at their price: of them, an amount finds all or none. One of
# them is sold to one customer, as in shops that ask for no name.
CHARGES = """
insert into charges (id, user_id, environment, txid, status, description, amount, original_amount, fee_amount, customer_id, customer_name,
    customer_email, customer_cpf, customer_phone, product_id, coupon_id, payment_link_id, subscription_id, billing_cycle, external_reference,
    metadata, expires_at, pix_code, engine, engine_id, end_to_end_id, paid_at, store_name, store_document, created_at, updated_at)
select bench_id(6, n, at), bench_store(n), 'live', md5(n::text), status, 'Pedido ' || n || ' de ' ||
       coalesce((array['canecas','chapéus'])[1 + sold], (array['camisetas','livros','café','flores','peças','ingressos'])[1 + bench_pick(n, 4, 6)]), amount, amount, amount / 100, customer.id, bench_name(who), 'pagador' || who || '@exemplo.com.br',
       lpad((who * 57885161 % 99999999999)::text, 11, '0'), '119' || lpad((who % 100000000)::text, 8, '0'),
       case when sold < 2 then bench_id(1, 1 + sold, {long_ago}) when n % 10 < 3 then bench_id(1, greatest(3, 1 + n % 200), {long_ago}) end, case when n % 20 = 0 then bench_id(2, 1 + (n / 20) % 50, {long_ago}) end,
       case when sold > 1 and n % 10 = 4 then bench_id(3, 1 + (n / 10) % 100, {long_ago}) end,
       case when n % 20 = 6 then subscription.id end, case when n % 20 = 6 then at end,
       case when n % 2 = 0 then 'PED-' || n end, '{}', at + interval '1 day', rpad('00020126580014br.gov.bcb.pix', 190, md5(n::text)), 'simulator', 'pay_' || n,
       case when status in ('paid', 'refunded') then 'E' || bench_bank(n) || to_char(paid_at, 'YYYYMMDDHH24MI') || substr(md5('e' || n), 1, 11) end,
       case when status in ('paid', 'refunded') then paid_at end, case when status = 'paid' then 'Loja' end,
       case when status = 'paid' then '11222333000181' end, at, case when status in ('paid', 'refunded') then paid_at when status = 'pending' then at else at + interval '1 day' end
  from generate_series($1::bigint, $2::bigint) n
 cross join lateral (select bench_pick(n, 10, 10) as sold) sale
 cross join lateral (select {at} as at, case when sold < 2 then 1001 + sold else 500 + bench_pick(n, 5, 100000) end::bigint as amount,
                            1 + (power(bench_pick(n, 6, 1000000) / 1e6, 2) * ($3::bigint / 5 - 1))::bigint as who) drawn
 cross join lateral (select at + interval '1 minute' * (1 + bench_pick(n, 7, 200)) as paid_at,
       case when bench_pick(n, 8, 100) < 72 and at < {now} - interval '4 hours' then 'paid'
            when at > {now} - interval '1 day' then 'pending'
            when bench_pick(n, 8, 100) >= 99 then 'refunded' when bench_pick(n, 8, 100) = 98 then 'canceled' else 'expired' end as status) fate
 left join bench_subscription(1 + (n / 20) % greatest(1, $3::bigint / 20), greatest(1, $3::bigint / 20)) subscription on n % 20 = 6
 left join bench_customers customer on customer.place = case when sold = 0 then 1 else who end and (sold = 0 or n % 10 < 5)
"""
SUBSCRIPTIONS = """
insert into subscriptions (id, user_id, environment, customer_name, customer_email, customer_cpf, amount, interval, status, next_billing_at,
    anchor_day, created_at, updated_at)
select subscription.id, bench_store(1), 'live', bench_name(n), 'pagador' || n || '@exemplo.com.br', '52998224725', 1000 + n % 5000, 'monthly',
       case when n % 10 < 8 then 'active' when n % 10 = 8 then 'paused' else 'canceled' end,
       case when n % 10 < 8 then {now} + interval '30 days' * (n::float8 / $2) - interval '6 hours' end, 1 + n % 28,
       subscription.begun, {now}
  from generate_series($1::bigint, $2::bigint) n cross join bench_subscription(n, $2) subscription
"""
AUDIT = """
insert into audit_records (id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent,
    request_id, changes, created_at)
select bench_id(8, n, at), bench_store(1), actor, case when actor in ('user', 'api_key') then '019aa000-0000-7000-8000-0000000000b' || n % 3 end,
       case actor when 'user' then 'Ana Souza' when 'api_key' then (array['loja', 'caixa', 'aplicativo'])[1 + n % 3] end,
       action, split_part(action, '.', 1), bench_id(6, n / 5, at)::text, 'live',
       case actor when 'api_key' then 'rest' when 'user' then 'graphql' when 'public' then 'checkout' else 'engine' end,
       case actor when 'public' then concat_ws('.', '177', n / 50 / 65536 % 256, n / 50 / 256 % 256, n / 50 % 256) when 'engine' then '198.51.100.4'
                  else '203.0.113.7' end,
       'python-httpx/0.28.1', md5(n::text), case when action = 'charge.created' then '{}'::jsonb else '{"status": {"from": "pending", "to": "paid"}}' end, at
  from generate_series($1::bigint, $2::bigint) n
 cross join lateral (select {at} as at,
       case when n % 5000 = 0 then 'coupon.updated' when n % 5 = 0 then 'charge.created' when n % 5 = 1 then 'charge.paid'
            when n % 5 = 2 then 'subscription.charged' when n % 5 = 3 then 'customer.created' else 'charge.read' end as action) act
 cross join lateral (select case when n % 5000 = 0 then 'user' when n % 5 = 1 then 'engine' when n % 50 = 20 then 'public' else 'api_key' end as actor) who
"""
SEALS = """
insert into audit_seals (chain_id, position, record_id, prev_hash, hash)
select bench_store(1), n, bench_id(8, n, {at}), case when n > 1 then sha256((n - 1)::text::bytea) end, sha256(n::text::bytea)
  from generate_series($1::bigint, $2::bigint) n
"""
EVENTS = """
insert into webhook_events (id, user_id, environment, type, body, dedupe_key, created_at)
select bench_id(kind, n, moment), user_id, 'live', case kind when 9 then 'charge.created' else 'charge.paid' end,
       convert_to(rpad('{"id":"' || txid || '"', 400, md5(txid)), 'UTF8'), kind || txid, moment
  from (select row_number() over () as n, txid, user_id, created_at, paid_at from charges) charge
 cross join lateral (values (9, created_at), (10, paid_at)) happened (kind, moment)
 where moment is not null
"""
DELIVERIES = """
insert into webhook_deliveries (id, event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at, last_status)
select e.id, e.id, p.id, case when due then 0 when e.n % 200 = 0 then 2 else 1 end, case when due then 0 else 1 end, e.created_at, e.created_at,
       case when not due then e.created_at + interval '1 second' end, case when not due then 200 end
  from (select id, user_id, created_at, row_number() over () as n from webhook_events) e
  join webhook_endpoints p on p.user_id = e.user_id
 cross join lateral (select e.created_at > {now} - interval '10 minutes' and e.n % 3 = 0 as due) fate
"""
LEFTOVERS = """
insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status, response)
select id, 1, created_at, 40, 200, 'ok' from webhook_deliveries where state <> 0 and created_at > {now} - interval '7 days';
insert into mails (id, kind, user_id, environment, recipient, facts, dedupe_key, state, next_attempt_at, created_at, finished_at)
select bench_id(11, row_number() over (), paid_at), 'payer_receipt', user_id, 'live', customer_email, '{"amount": 100}', 'receipt:' || id, 1, paid_at, paid_at, paid_at
  from charges where paid_at > {now} - interval '30 days';
insert into idempotency_keys (id, user_id, environment, operation, key, fingerprint, status, answer, lease_until, created_at)
select bench_id(12, row_number() over (), created_at), user_id, 'live', 'charges.issue', txid, '\\x00', 201, '\\x00', created_at, created_at
  from charges where created_at > {now} - interval '25 hours';
insert into simulator_charges (id, environment, external_reference, amount, status, br_code, paid_amount, paid_at, created_at)
select engine_id, 'live', id::text, amount, case when paid_at is null then 'PENDING' else 'RECEIVED' end, pix_code,
       case when paid_at is not null then amount end, paid_at, created_at from charges;
insert into charge_checks (charge_id, environment, next_at)
select id, 'live', created_at + interval '2 days' from charges where status = 'expired' and created_at > {now} - interval '7 days';
insert into withdrawals (id, user_id, environment, status, amount, pix_key, pix_key_type, engine, settle_after, created_at, completed_at)
select bench_id(13, n, {now}), bench_store(1), 'live', 'completed', 1000, 'ana@example.com', 'email', 'simulator', {now},
       {now} - interval '1 day' * n, {now} - interval '1 day' * n from generate_series(1, 365) n;
insert into store_balances (user_id, environment, receiving_account_id, gross, fee, charges)
select user_id, environment, receiving_account_id, sum(amount), sum(fee_amount), count(*)
  from charges where status = 'paid' and paid_at < {unfolded} group by 1, 2, 3;
insert into balance_entries (user_id, environment, receiving_account_id, gross, fee, charges)
select user_id, environment, receiving_account_id, amount, fee_amount, 1
  from charges where status = 'paid' and paid_at >= {unfolded}
""".replace(
    "{unfolded}", "(select paid_at from charges where status = 'paid' order by paid_at desc offset 499 limit 1)"
)
# As much waiting in every store, whatever its size: what a job finds to do isn't what makes it slow.
BACKLOG = """
update webhook_deliveries set state = 0, attempts = 0, finished_at = null, last_status = null, next_attempt_at = {now} - interval '1 minute'
 where id in (select id from webhook_deliveries order by id desc limit 300);
delete from webhook_deliveries where id in (select id from webhook_deliveries order by id limit 1000);
update webhook_deliveries set next_attempt_at = {now} + interval '1 day' where state = 0 and next_attempt_at > {now};
update charges set status = 'pending', expires_at = {now} - interval '1 minute'
 where id in (select id from charges where status = 'expired' order by id desc limit 300);
update charges set status = 'pending', expires_at = {now} + interval '30 days'
 where id in (select id from charges where status = 'expired' order by id desc limit 300);
update mails set state = 0, finished_at = null, next_attempt_at = {now} - interval '1 minute'
 where id in (select id from mails order by id desc limit 100);
update charge_checks set next_at = {now} + interval '1 day';
update charge_checks set next_at = {now} - interval '1 minute' where charge_id in (select charge_id from charge_checks order by charge_id limit 60);
update subscriptions set next_billing_at = next_billing_at + interval '1 day' where next_billing_at < {now};
update subscriptions set next_billing_at = {now} - interval '1 minute'
 where id in (select id from subscriptions where status = 'active' order by id limit 300)
"""
# Of a table in parts, and those that a part has by itself.
_INDEXES = """
select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class t on t.oid = i.indrelid
 where t.relname = any($1) and not i.indisprimary and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
   and not exists (select from pg_inherits part where part.inhrelid = i.indexrelid)
"""


@dataclass(frozen=True)
class _Filling:
    """One connection, and the moment that everything is dated by."""

    connection: asyncpg.Connection
    now: datetime

    async def run(self, statement: str, *values: object, rows: int = 1) -> None:
        at = _AT.replace("{rows}", str(rows))
        sql = statement.replace("{at}", at).replace("{long_ago}", _LONG_AGO)
        await self.connection.execute(sql.replace("{now}", f"timestamptz '{self.now}'"), *values, timeout=1800)

    async def chunks(self, statement: str, total: int, *rest: object) -> None:
        """The statement over 1 … total, in parts that show that it goes on."""
        for first in range(1, total + 1, CHUNK):
            await self.run(statement, first, min(total, first + CHUNK - 1), *rest, rows=total)


async def fill(url: str, charges: int) -> None:
    """The whole store; `charges` is how many the large one has."""
    connection = await asyncpg.connect(url)
    filling = _Filling(connection, await connection.fetchval("select now()"))
    await connection.execute(_QUICK)
    indexes = await connection.fetch(_INDEXES, list(_BIG))
    for index in indexes:
        await connection.execute(f"drop index {index['name']}")
    for statement in (MONTHS, FUNCTIONS, USERS, CATALOGUE):
        await filling.run(statement)
    whole = charges + charges // 10
    steps = {
        "customers": filling.chunks(CUSTOMERS, whole // 5),
        "charges": _charges(filling, charges, whole),
        "subscriptions": filling.run(SUBSCRIPTIONS, 1, max(1, charges // 20)),
        "audit records": filling.chunks(AUDIT, 5 * charges),
        "seals": filling.chunks(SEALS, 5 * charges),
        "events": filling.run(EVENTS),
        "deliveries": filling.run(DELIVERIES),
        "the rest": filling.run(LEFTOVERS),
        "indexes": _build(filling, [index["definition"].replace(" ON ONLY ", " ON ") for index in indexes]),
        "what waits": filling.run(BACKLOG),
        "vacuum": filling.run("vacuum (analyze)"),
    }
    for name, step in steps.items():
        begun = time.perf_counter()
        await step
        print(f"{name}: {time.perf_counter() - begun:.1f} s", flush=True)
    for function in ("bench_subscription", "bench_id", "bench_pick", "bench_store", "bench_bank", "bench_name"):
        await connection.execute(f"drop function {function}")
    size = await connection.fetchval("select pg_size_pretty(pg_database_size(current_database()))")
    print(f"{charges} charges: {size}")
    await connection.close()


async def _charges(filling: _Filling, charges: int, whole: int) -> None:
    await filling.run(
        "create temporary table bench_customers as select row_number() over (order by id) as place, id from customers"
    )
    await filling.run("create unique index on bench_customers (place)")
    await filling.run("analyze bench_customers, customers")
    await filling.chunks(CHARGES, whole, charges)


async def _build(filling: _Filling, definitions: list[str]) -> None:
    for definition in definitions:
        await filling.run(definition)


def main() -> None:
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", __doc__ or ""))
    parser.add_argument("directory", type=Path)
    parser.add_argument("--charges", type=int, default=1_000_000)
    options = parser.parse_args()
    with EmbeddedPostgres(options.directory, durable=False) as url:
        upgrade(url)
        asyncio.run(fill(url, options.charges))


if __name__ == "__main__":
    main()
