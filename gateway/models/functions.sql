-- What the database does by itself: functions that queries and indexes call, and those of triggers with what sets them off.
--
-- Migrations make them, each as far as it changed something. This is what all of them together have made, to be read and not to be
-- run. It is written by `make schema`; tables and indexes are told by the classes beside this file.


-- Gathers statistics of each table in parts of which a part has been analysed since, for autovacuum minds parts alone; how many (ADR 0064).
CREATE OR REPLACE FUNCTION analyse_wholes()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
    whole record;
    analysed integer := 0;
begin
    for whole in
        select s.relid::regclass as name from pg_class c join pg_stat_user_tables s on s.relid = c.oid
         where c.relkind = 'p' and c.relnamespace = current_schema()::regnamespace and exists (
            select from pg_inherits i join pg_stat_user_tables p on p.relid = i.inhrelid
             where i.inhparent = c.oid
               and greatest(p.last_analyze, p.last_autoanalyze) > coalesce(s.last_analyze, '-infinity')
         )
    loop
        execute format('analyze only %s', whole.name);
        analysed := analysed + 1;
    end loop;
    return analysed;
end
$function$;


-- What a record says in its columns of few values, a line for each, so that all filters of the trail are looked up together (ADR 0047).
CREATE OR REPLACE FUNCTION audit_facets(action text, actor_type text, actor_id text, resource_type text, source text, actor_name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((((((((((COALESCE(action, ''::text) || chr(10)) || COALESCE(actor_type, ''::text)) || chr(10)) || COALESCE(actor_id, ''::text)) || chr(10)) || COALESCE(resource_type, ''::text)) || chr(10)) || COALESCE(source, ''::text)) || chr(10)) || COALESCE(actor_name, ''::text));


-- The hash of what several records of a store say alike, by which indexes of the trail find them (ADR 0043, 0047).
CREATE OR REPLACE FUNCTION audit_key(store_id uuid, environment text, told text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((environment || told), uuid_hash_extended(store_id, (0)::bigint));


-- An address with the hash of the facets that a record from there has: what a search of an address and filters looks up (ADR 0047).
CREATE OR REPLACE FUNCTION audit_origin(ip text, action text, actor_type text, actor_id text, resource_type text, source text, actor_name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((ip || chr(10)) || to_hex(hashtextextended(audit_facets(action, actor_type, actor_id, resource_type, source, actor_name), (0)::bigint)));


-- Leaves a part of the trail to its owner: others write to the trail alone.
CREATE OR REPLACE FUNCTION close_audit_part(part regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
    writer record;
begin
    for writer in
        select distinct case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as name
          from pg_class c cross join lateral aclexplode(c.relacl) a where c.oid = part and a.grantee <> c.relowner
    loop
        execute format('revoke insert, update, delete, truncate on %s from %s', part, writer.name);
    end loop;
end
$function$;


-- Copies a store's test clock into its account, which is read with every request (docs/test-clock.md).
CREATE OR REPLACE FUNCTION copy_test_clock()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
    update users set test_clock_ahead = new.ahead, test_clock_stands_at = new.stands_at
     where id = coalesce(new.store_id, old.store_id);
    return null;
end
$function$;
CREATE TRIGGER test_clocks_copy AFTER INSERT OR DELETE OR UPDATE OF ahead, stands_at ON test_clocks FOR EACH ROW EXECUTE FUNCTION copy_test_clock();


-- Takes deliveries that are forgotten off what their endpoints have counted.
CREATE OR REPLACE FUNCTION count_deliveries_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
    insert into webhook_delivery_counts (endpoint_id) select distinct endpoint_id from gone order by 1 on conflict do nothing;
    perform from webhook_delivery_counts c where c.endpoint_id in (select endpoint_id from gone) order by c.endpoint_id for update;
    update webhook_delivery_counts c set rows = c.rows - counted.rows
      from (
        select d.endpoint_id, count(*) as rows from gone d join webhook_delivery_counts k on k.endpoint_id = d.endpoint_id
         where d.created_at <= k.upto group by d.endpoint_id
      ) counted
     where c.endpoint_id = counted.endpoint_id;
    return null;
end
$function$;
CREATE TRIGGER webhook_deliveries_go AFTER DELETE ON webhook_deliveries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries_gone();


-- Adds a delivery that comes below what its endpoint has counted.
CREATE OR REPLACE FUNCTION count_delivery_late()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
    insert into webhook_delivery_counts (endpoint_id) values (new.endpoint_id) on conflict do nothing;
    perform from webhook_delivery_counts c where c.endpoint_id = new.endpoint_id for update;
    update webhook_delivery_counts c set rows = c.rows + 1 where c.endpoint_id = new.endpoint_id and c.upto >= new.created_at;
    return null;
end
$function$;
CREATE TRIGGER webhook_deliveries_come_late AFTER INSERT ON webhook_deliveries FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION count_delivery_late();


-- Takes a table that has grown beyond so many rows one step towards its next cut, at the beginning of a month or week to come, and says which: announced, proven, cut; abandoned, if it is too late (ADR 0064).
CREATE OR REPLACE FUNCTION cut_further(whole text, length text, grown bigint)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET lock_timeout TO '2s'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
    part regclass := open_part(whole::regclass);
    since uuid := part_since(part);
    announced record;
    until uuid;
    taken boolean;
    next text;
    settings text;
begin
    if whole not in ('charges', 'webhook_events') or part is null then
        raise exception 'there is nothing to cut of %', whole using errcode = 'invalid_parameter_value';
    end if;
    select convalidated as proven, substring(pg_get_constraintdef(oid) from $r$id < '([0-9a-f-]{36})'$r$)::uuid as until
      into announced from pg_constraint where conrelid = part and conname = 'until_the_cut';
    if not found then
        if (select reltuples from pg_class where oid = part) < grown then
            return null;
        end if;
        until := part_begin((date_trunc(length, (now() + interval '7 days') at time zone 'UTC') + ('1 ' || length)::interval) at time zone 'UTC');
        -- The part has yet to begin.
        if until <= since then
            return null;
        end if;
        -- What is refused is what lies beyond, so nobody may be writing while it is looked for.
        execute format('lock table %s in access exclusive mode', part);
        execute format('select exists(select from %s where id >= %L)', part, until) into taken;
        if taken then
            return null;
        end if;
        execute format('alter table %s add constraint until_the_cut check (id < %L%s) not valid', part, until, case when since is not null then format(' and id >= %L', since) else '' end);
        return 'announced';
    end if;
    -- Whatever has kept it from being made, nothing shall be refused for it.
    if announced.until < part_begin(now() + interval '1 day') then
        execute format('alter table %s drop constraint until_the_cut', part);
        return 'abandoned';
    end if;
    if not announced.proven then
        execute format('alter table %s validate constraint until_the_cut', part);
        return 'proven';
    end if;
    next := format('%s_%s', whole, to_char(part_begun(announced.until) at time zone 'UTC', 'YYYYMMDD'));
    execute format('create table %I (like %s including all)', next, part);
    execute format('alter table %I drop constraint until_the_cut', next);
    select array_to_string(reloptions, ', ') into settings from pg_class where oid = part;
    if settings <> '' then
        execute format('alter table %I set (%s)', next, settings);
    end if;
    -- Of a part without pages the planner would have all read, and of the others with it, to be sorted. So it has some, and keeps them.
    execute format('alter table %I set (vacuum_truncate = off)', next);
    execute format('insert into %I select * from %s order by id desc limit 500', next, part);
    execute format('delete from %I', next);
    execute format('lock table %s in access exclusive mode', whole);
    execute format('alter table %s detach partition %s', whole, part);
    execute format('alter table %s attach partition %s for values from (%s) to (%L)', whole, part, coalesce(quote_literal(since), 'minvalue'), announced.until);
    execute format('alter table %s drop constraint until_the_cut', part);
    execute format('alter table %s attach partition %I for values from (%L) to (maxvalue)', whole, next, announced.until);
    return 'cut';
end
$function$;


-- Drops the parts of events that ended before a moment, at least 30 days ago, and of which nothing is left to deliver; how many (ADR 0064).
CREATE OR REPLACE FUNCTION drop_event_parts(before timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET lock_timeout TO '2s'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
    part record;
    dropped integer := 0;
begin
    for part in
        select c.oid::regclass as name, substring(pg_get_expr(c.relpartbound, c.oid) from $r$TO \('([0-9a-f-]{36})'\)$r$)::uuid as until
          from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'webhook_events'::regclass
    loop
        -- An event is kept for as long as something of it is to be delivered.
        if part.until <= part_begin(least(before, now() - interval '30 days'))
           and not exists (select from webhook_deliveries d where d.event_id < part.until) then
            execute format('drop table %s', part.name);
            dropped := dropped + 1;
        end if;
    end loop;
    return dropped;
end
$function$;


-- Enters a charge that becomes paid, or is paid no more, for the worker to fold into its store's balance (ADR 0028).
CREATE OR REPLACE FUNCTION enter_into_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    sign smallint := case when new.status = 'paid' then 1 else -1 end;
begin
    insert into balance_entries (user_id, environment, receiving_account_id, gross, fee, charges)
    values (new.user_id, new.environment, new.receiving_account_id, sign * new.amount, sign * new.fee_amount, sign);
    return null;
end
$function$;
CREATE TRIGGER charges_enter_balance_moved AFTER UPDATE OF status ON charges FOR EACH ROW WHEN ((old.status = 'paid'::text) <> (new.status = 'paid'::text)) EXECUTE FUNCTION enter_into_balance();
CREATE TRIGGER charges_enter_balance_paid AFTER INSERT ON charges FOR EACH ROW WHEN (new.status = 'paid'::text) EXECUTE FUNCTION enter_into_balance();


-- A text in lower case and without accents, as searches compare it (ADR 0050); `gateway.resolvers.listing.folding` makes the same of what is typed.
CREATE OR REPLACE FUNCTION folded(said text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN lower(NORMALIZE(regexp_replace(NORMALIZE(said, NFD), '[\u0300-\u036f]'::text, ''::text, 'g'::text), NFC));


-- The pieces of a row's texts, hashed together with its list and stretch: what the index of searches has of it (ADR 0046, 0048).
CREATE OR REPLACE FUNCTION grams_in(list bigint, stretch integer, texts text, documents text)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT (gram.gram # hashint4(grams_in.stretch)) FROM unnest(grams_of(grams_in.list, grams_in.texts, grams_in.documents)) gram(gram));


-- The pieces of texts, hashed together with their list: three characters of any part, four digits of a number, the beginnings of words, and what is around a space (ADR 0046, 0048, 0049).
CREATE OR REPLACE FUNCTION grams_of(list bigint, texts text, documents text)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
select coalesce(array_agg(distinct hashtext(gram) # (list & 2147483647)::integer), '{}')
  from (
    select substr(line, place, 3) as gram from string_to_table(texts || chr(10) || documents, chr(10)) line, generate_series(1, length(line) - 2) place
    union all
    select substr(run[1], place, 4) from regexp_matches(texts || chr(10) || documents, '[0-9]{4,}', 'g') run, generate_series(1, length(run[1]) - 3) place
    union all
    select chr(1) || substr(word[1], 1, length)
      from regexp_matches(texts || chr(10) || documents, '(?:^|[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f])([^\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]{1,2})', 'g') word, generate_series(1, length(word[1])) length
    union all
    select substr(line, place - 3, 7) from string_to_table(texts || chr(10) || documents, chr(10)) line, generate_series(4, length(line) - 3) place where substr(line, place, 1) = ' '
) grams
$function$;


-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
CREATE OR REPLACE FUNCTION keep_audit_records_listed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
    perform pg_advisory_xact_lock_shared(list_number('audit_records', new.store_id, new.environment));
    update list_milestones m set rows = m.rows + 1
     where m.kind = 'audit_records' and m.user_id = new.store_id and m.environment = new.environment and m.upto >= new.created_at;
    return null;
end
$function$;
CREATE TRIGGER audit_records_come_late AFTER INSERT ON audit_records FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_audit_records_listed();


-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
CREATE OR REPLACE FUNCTION keep_audit_records_tallied()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one audit_records;
    was audit_records;
    reached integer;
begin
    if tg_op <> 'DELETE' then one := new; end if;
    if tg_op <> 'INSERT' then was := old; end if;
    if tg_op = 'DELETE' then one := was; end if;
    perform pg_advisory_xact_lock_shared(list_number('audit_records', one.store_id, one.environment));
    select m.stretch into reached from list_milestones m
     where m.kind = 'audit_records' and m.user_id = one.store_id and m.environment = one.environment and m.upto >= one.created_at and m.tallied
     order by m.upto limit 1;
    if found then
        insert into list_tally_entries (kind, user_id, environment, name, value, stretch, rows)
        select 'audit_records', one.store_id, one.environment, name, value, stretch, sum(change) from (
            select come.*, 1 as change from tallies_of(one, reached) come where tg_op <> 'DELETE'
            union all
            select gone.*, -1 from tallies_of(was, reached) gone where tg_op <> 'INSERT'
        ) changed group by name, value, stretch having sum(change) <> 0;
    end if;
    return null;
end
$function$;
CREATE TRIGGER audit_records_come_late_tallied AFTER INSERT ON audit_records FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_audit_records_tallied();


-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
CREATE OR REPLACE FUNCTION keep_charges_listed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one charges;
begin
    if tg_op = 'DELETE' then one := old; else one := new; end if;
    perform pg_advisory_xact_lock_shared(list_number('charges', one.user_id, one.environment));
    if tg_op <> 'UPDATE' then
        update list_milestones m set rows = m.rows + case tg_op when 'INSERT' then 1 else -1 end
         where m.kind = 'charges' and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at;
    end if;
    if tg_op = 'DELETE' then
        delete from search_texts where row_id = old.id;
        return null;
    end if;
    delete from search_texts where row_id = new.id;
    insert into search_waiting (kind, user_id, environment, stretch, row_id)
    select 'charges', one.user_id, one.environment, m.stretch, one.id from list_milestones m
     where m.kind = 'charges' and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
     order by m.upto limit 1
    on conflict do nothing;
    return null;
end
$function$;
CREATE TRIGGER charges_change_late AFTER UPDATE OF customer_name, customer_email, description, external_reference, txid, end_to_end_id, customer_cpf, customer_phone, customer_id, product_id, coupon_id, payment_link_id, amount, status ON charges FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.customer_name IS DISTINCT FROM old.customer_name OR new.customer_email IS DISTINCT FROM old.customer_email OR new.description IS DISTINCT FROM old.description OR new.external_reference IS DISTINCT FROM old.external_reference OR new.txid IS DISTINCT FROM old.txid OR new.end_to_end_id IS DISTINCT FROM old.end_to_end_id OR new.customer_cpf IS DISTINCT FROM old.customer_cpf OR new.customer_phone IS DISTINCT FROM old.customer_phone OR new.customer_id IS DISTINCT FROM old.customer_id OR new.product_id IS DISTINCT FROM old.product_id OR new.coupon_id IS DISTINCT FROM old.coupon_id OR new.payment_link_id IS DISTINCT FROM old.payment_link_id OR new.amount IS DISTINCT FROM old.amount OR new.status <> old.status AND ((new.status = ANY (ARRAY['canceled'::text, 'refunded'::text])) OR (old.status = ANY (ARRAY['canceled'::text, 'refunded'::text]))))) EXECUTE FUNCTION keep_charges_listed();
CREATE TRIGGER charges_come_late AFTER INSERT ON charges FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_charges_listed();
CREATE TRIGGER charges_go AFTER DELETE ON charges FOR EACH ROW EXECUTE FUNCTION keep_charges_listed();


-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
CREATE OR REPLACE FUNCTION keep_charges_tallied()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one charges;
    was charges;
    reached integer;
begin
    if tg_op <> 'DELETE' then one := new; end if;
    if tg_op <> 'INSERT' then was := old; end if;
    if tg_op = 'DELETE' then one := was; end if;
    perform pg_advisory_xact_lock_shared(list_number('charges', one.user_id, one.environment));
    select m.stretch into reached from list_milestones m
     where m.kind = 'charges' and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at and m.tallied
     order by m.upto limit 1;
    if found then
        insert into list_tally_entries (kind, user_id, environment, name, value, stretch, rows)
        select 'charges', one.user_id, one.environment, name, value, stretch, sum(change) from (
            select come.*, 1 as change from tallies_of(one, reached) come where tg_op <> 'DELETE'
            union all
            select gone.*, -1 from tallies_of(was, reached) gone where tg_op <> 'INSERT'
        ) changed group by name, value, stretch having sum(change) <> 0;
    end if;
    return null;
end
$function$;
CREATE TRIGGER charges_change_late_tallied AFTER UPDATE OF status, product_id, coupon_id, payment_link_id, amount, paid_at, updated_at, expires_at ON charges FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (
        CASE
            WHEN new.status <> 'pending'::text THEN new.status
            ELSE NULL::text
        END IS DISTINCT FROM
        CASE
            WHEN old.status <> 'pending'::text THEN old.status
            ELSE NULL::text
        END OR new.product_id::text IS DISTINCT FROM old.product_id::text OR new.coupon_id::text IS DISTINCT FROM old.coupon_id::text OR new.payment_link_id::text IS DISTINCT FROM old.payment_link_id::text OR lpad(trunc(new.amount::numeric, 3 - length(new.amount::text))::bigint::text, 12, '0'::text) IS DISTINCT FROM lpad(trunc(old.amount::numeric, 3 - length(old.amount::text))::bigint::text, 12, '0'::text) OR COALESCE(to_char((new.paid_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text), ''::text) IS DISTINCT FROM COALESCE(to_char((old.paid_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text), ''::text) OR to_char((new.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) IS DISTINCT FROM to_char((old.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) OR to_char((new.expires_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) IS DISTINCT FROM to_char((old.expires_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text))) EXECUTE FUNCTION keep_charges_tallied();
CREATE TRIGGER charges_come_late_tallied AFTER INSERT ON charges FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_charges_tallied();
CREATE TRIGGER charges_go_tallied AFTER DELETE ON charges FOR EACH ROW EXECUTE FUNCTION keep_charges_tallied();


-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
CREATE OR REPLACE FUNCTION keep_customers_listed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one customers;
begin
    if tg_op = 'DELETE' then one := old; else one := new; end if;
    perform pg_advisory_xact_lock_shared(list_number(tg_table_name, one.user_id, one.environment));
    if tg_op <> 'UPDATE' then
        update list_milestones m set rows = m.rows + case tg_op when 'INSERT' then 1 else -1 end
         where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at;
    end if;
    if tg_op = 'DELETE' then
        delete from search_texts where row_id = old.id;
        return null;
    end if;
    delete from search_texts where row_id = new.id;
    insert into search_waiting (kind, user_id, environment, stretch, row_id)
    select tg_table_name, one.user_id, one.environment, m.stretch, one.id from list_milestones m
     where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
     order by m.upto limit 1
    on conflict do nothing;
    return null;
end
$function$;
CREATE TRIGGER customers_change_late AFTER UPDATE OF name, email, cpf, phone ON customers FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.name IS DISTINCT FROM old.name OR new.email IS DISTINCT FROM old.email OR new.cpf IS DISTINCT FROM old.cpf OR new.phone IS DISTINCT FROM old.phone)) EXECUTE FUNCTION keep_customers_listed();
CREATE TRIGGER customers_come_late AFTER INSERT ON customers FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_customers_listed();
CREATE TRIGGER customers_go AFTER DELETE ON customers FOR EACH ROW EXECUTE FUNCTION keep_customers_listed();


-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
CREATE OR REPLACE FUNCTION keep_customers_tallied()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one customers;
    was customers;
    reached integer;
begin
    if tg_op <> 'DELETE' then one := new; end if;
    if tg_op <> 'INSERT' then was := old; end if;
    if tg_op = 'DELETE' then one := was; end if;
    perform pg_advisory_xact_lock_shared(list_number('customers', one.user_id, one.environment));
    select m.stretch into reached from list_milestones m
     where m.kind = 'customers' and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at and m.tallied
     order by m.upto limit 1;
    if found then
        insert into list_tally_entries (kind, user_id, environment, name, value, stretch, rows)
        select 'customers', one.user_id, one.environment, name, value, stretch, sum(change) from (
            select come.*, 1 as change from tallies_of(one, reached) come where tg_op <> 'DELETE'
            union all
            select gone.*, -1 from tallies_of(was, reached) gone where tg_op <> 'INSERT'
        ) changed group by name, value, stretch having sum(change) <> 0;
    end if;
    return null;
end
$function$;
CREATE TRIGGER customers_change_late_tallied AFTER UPDATE OF updated_at, name ON customers FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (to_char((new.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) IS DISTINCT FROM to_char((old.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) OR "left"(name_order(new.name), 3) IS DISTINCT FROM "left"(name_order(old.name), 3))) EXECUTE FUNCTION keep_customers_tallied();
CREATE TRIGGER customers_come_late_tallied AFTER INSERT ON customers FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_customers_tallied();
CREATE TRIGGER customers_go_tallied AFTER DELETE ON customers FOR EACH ROW EXECUTE FUNCTION keep_customers_tallied();


-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
CREATE OR REPLACE FUNCTION keep_subscriptions_listed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one subscriptions;
begin
    if tg_op = 'DELETE' then one := old; else one := new; end if;
    perform pg_advisory_xact_lock_shared(list_number(tg_table_name, one.user_id, one.environment));
    if tg_op <> 'UPDATE' then
        update list_milestones m set rows = m.rows + case tg_op when 'INSERT' then 1 else -1 end
         where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at;
    end if;
    if tg_op = 'DELETE' then
        delete from search_texts where row_id = old.id;
        return null;
    end if;
    delete from search_texts where row_id = new.id;
    insert into search_waiting (kind, user_id, environment, stretch, row_id)
    select tg_table_name, one.user_id, one.environment, m.stretch, one.id from list_milestones m
     where m.kind = tg_table_name and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at
     order by m.upto limit 1
    on conflict do nothing;
    return null;
end
$function$;
CREATE TRIGGER subscriptions_change_late AFTER UPDATE OF customer_name, customer_email, description, external_reference, customer_cpf ON subscriptions FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.customer_name IS DISTINCT FROM old.customer_name OR new.customer_email IS DISTINCT FROM old.customer_email OR new.description IS DISTINCT FROM old.description OR new.external_reference IS DISTINCT FROM old.external_reference OR new.customer_cpf IS DISTINCT FROM old.customer_cpf)) EXECUTE FUNCTION keep_subscriptions_listed();
CREATE TRIGGER subscriptions_come_late AFTER INSERT ON subscriptions FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_subscriptions_listed();
CREATE TRIGGER subscriptions_go AFTER DELETE ON subscriptions FOR EACH ROW EXECUTE FUNCTION keep_subscriptions_listed();


-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
CREATE OR REPLACE FUNCTION keep_subscriptions_tallied()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
    one subscriptions;
    was subscriptions;
    reached integer;
begin
    if tg_op <> 'DELETE' then one := new; end if;
    if tg_op <> 'INSERT' then was := old; end if;
    if tg_op = 'DELETE' then one := was; end if;
    perform pg_advisory_xact_lock_shared(list_number('subscriptions', one.user_id, one.environment));
    select m.stretch into reached from list_milestones m
     where m.kind = 'subscriptions' and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at and m.tallied
     order by m.upto limit 1;
    if found then
        insert into list_tally_entries (kind, user_id, environment, name, value, stretch, rows)
        select 'subscriptions', one.user_id, one.environment, name, value, stretch, sum(change) from (
            select come.*, 1 as change from tallies_of(one, reached) come where tg_op <> 'DELETE'
            union all
            select gone.*, -1 from tallies_of(was, reached) gone where tg_op <> 'INSERT'
        ) changed group by name, value, stretch having sum(change) <> 0;
    end if;
    return null;
end
$function$;
CREATE TRIGGER subscriptions_change_late_tallied AFTER UPDATE OF status, "interval" ON subscriptions FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.status IS DISTINCT FROM old.status OR new."interval" IS DISTINCT FROM old."interval")) EXECUTE FUNCTION keep_subscriptions_tallied();
CREATE TRIGGER subscriptions_come_late_tallied AFTER INSERT ON subscriptions FOR EACH ROW WHEN (new.created_at < (clock_timestamp() - '00:15:00'::interval)) EXECUTE FUNCTION keep_subscriptions_tallied();
CREATE TRIGGER subscriptions_go_tallied AFTER DELETE ON subscriptions FOR EACH ROW EXECUTE FUNCTION keep_subscriptions_tallied();


-- The number of a list, for its advisory lock and for what is hashed of it.
CREATE OR REPLACE FUNCTION list_number(kind text, store uuid, environment text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
select hashtextextended(kind || store::text || environment, 0)
$function$;


-- Makes the part of the trail for a month, and says whether there was none (ADR 0037).
CREATE OR REPLACE FUNCTION make_audit_part(month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
    part text := 'audit_records_' || to_char(month, 'YYYYMM');
    first uuid := part_begin(date_trunc('month', month::timestamp) at time zone 'UTC');
    next uuid := part_begin((date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC');
begin
    if to_regclass(part) is not null then
        return false;
    end if;
    execute format('create table %I (like audit_records including all)', part);
    perform close_audit_part(part::regclass);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_audit_change()', part || '_kept', part);
    execute format('alter table audit_records attach partition %I for values from (%L) to (%L)', part, first, next);
    return true;
end
$function$;


-- The marks of what a row is filtered by, hashed together with its list and stretch: what the index of searches has of it besides its texts (ADR 0060).
CREATE OR REPLACE FUNCTION marks_in(list bigint, stretch integer, said text[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY(SELECT ((hashtext(mark.mark) # ((marks_in.list & (2147483647)::bigint))::integer) # hashint4(marks_in.stretch)) FROM unnest(marks_in.said) mark(mark) WHERE (mark.mark IS NOT NULL));


-- A name in the order of its letters, whatever its case and accents (ADR 0045).
CREATE OR REPLACE FUNCTION name_order(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(NORMALIZE(lower(name), NFD), '[\u0300-\u036f]'::text, ''::text, 'g'::text);


-- The part of a table that has no end yet (ADR 0064).
CREATE OR REPLACE FUNCTION open_part(whole regclass)
 RETURNS regclass
 LANGUAGE sql
 STABLE
AS $function$
select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
 where i.inhparent = whole and pg_get_expr(c.relpartbound, c.oid) like '%TO (MAXVALUE)'
$function$;


-- The smallest UUIDv7 of a moment, at which a part of a table by time may begin (ADR 0037).
CREATE OR REPLACE FUNCTION part_begin(moment timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$function$;


-- The moment of an id at which a part of a table begins.
CREATE OR REPLACE FUNCTION part_begun(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$function$;


-- The id at which a part of a table begins; nothing of the first (ADR 0064).
CREATE OR REPLACE FUNCTION part_since(part regclass)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
select substring(pg_get_expr(c.relpartbound, c.oid) from $r$FROM \('([0-9a-f-]{36})'\)$r$)::uuid from pg_class c where c.oid = part
$function$;


-- Has a record that is written where lists find it sealed as well, unless it came from the queue (ADR 0040).
CREATE OR REPLACE FUNCTION queue_audit_record()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    begin
        insert into audit_pending (record_id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id,
changes, created_at)
        select id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id,
changes, created_at from recorded
         where not exists (
            select from audit_pending p where p.chain_id = coalesce(recorded.store_id, '00000000-0000-0000-0000-000000000000'::uuid) and p.record_id = recorded.id
         );
        return null;
    end
$function$;
CREATE TRIGGER audit_records_queued AFTER INSERT ON audit_records REFERENCING NEW TABLE AS recorded FOR EACH STATEMENT EXECUTE FUNCTION queue_audit_record();


-- Refuses changes of the trail, deletions and truncations.
CREATE OR REPLACE FUNCTION refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
    raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
end
$function$;
CREATE TRIGGER audit_pending_append_only BEFORE UPDATE ON audit_pending FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_pending_kept BEFORE TRUNCATE ON audit_pending FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_records_append_only BEFORE DELETE OR UPDATE ON audit_records FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_records_kept BEFORE TRUNCATE ON audit_records FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_seals_append_only BEFORE DELETE OR UPDATE ON audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_seals_kept BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();


-- Refuses that a record leaves the queue unless it is in the trail, as it was.
CREATE OR REPLACE FUNCTION refuse_audit_loss()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
begin
    if exists (
        select from gone
          left join audit_records r on r.id = gone.record_id
         where r.id is null
            or (r.store_id, r.actor_type, r.actor_id, r.actor_name, r.action, r.resource_type, r.resource_id, r.environment, r.source, r.ip, r.user_agent, r.request_id, r.changes, r.created_at) is distinct from (gone.store_id, gone.actor_type, gone.actor_id, gone.actor_name, gone.action, gone.resource_type, gone.resource_id, gone.environment, gone.source, gone.ip, gone.user_agent, gone.request_id, gone.changes, gone.created_at)
    ) then
        raise insufficient_privilege using message = 'a record leaves audit_pending for audit_records, and as it is';
    end if;
    return null;
end
$function$;
CREATE TRIGGER audit_pending_leaves AFTER DELETE ON audit_pending REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_loss();


-- Gives records that lie in the default part the part of their month (docs/audit.md).
CREATE OR REPLACE FUNCTION settle_audit_part(month date)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare
    part text := 'audit_records_' || to_char(month, 'YYYYMM');
    first uuid := part_begin(month::timestamp at time zone 'UTC');
    next uuid := part_begin((month + interval '1 month') at time zone 'UTC');
    moved bigint;
begin
    lock table audit_records in access exclusive mode;
    alter table audit_records detach partition audit_records_default;
    create temporary table settling on commit drop as select * from audit_records_default where id >= first and id < next;
    get diagnostics moved = row_count;
    delete from audit_records_default where id >= first and id < next;
    perform make_audit_part(month);
    -- They were counted and queued when they came.
    execute format('alter table %I disable trigger user', part);
    execute format('insert into %I select * from settling', part);
    execute format('alter table %I enable trigger user', part);
    alter table audit_records attach partition audit_records_default default;
    return moved;
end
$function$;


-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
CREATE OR REPLACE FUNCTION tallies_of(listed audit_records, stretch integer)
 RETURNS TABLE(name text, value text, stretch integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select tallied.* from (select audit_facets(listed.action, listed.actor_type, listed.actor_id, listed.resource_type, listed.source, listed.actor_name) as told) texts
 cross join lateral (values ('action', listed.action, stretch), ('actor_type', listed.actor_type, stretch), ('actor_id', listed.actor_id, stretch), ('resource_type', listed.resource_type, stretch), ('source', listed.source, stretch), ('facets', told, 0), ('facets/stretch', told, stretch), ('ip', audit_origin(listed.ip, listed.action, listed.actor_type, listed.actor_id, listed.resource_type, listed.source, listed.actor_name), 0), ('ip/stretch', audit_origin(listed.ip, listed.action, listed.actor_type, listed.actor_id, listed.resource_type, listed.source, listed.actor_name), stretch)) tallied (name, value, stretch) where tallied.value is not null
$function$;


-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
CREATE OR REPLACE FUNCTION tallies_of(listed charges, stretch integer)
 RETURNS TABLE(name text, value text, stretch integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select * from (values ('status', case when listed.status <> 'pending' then listed.status end, stretch), ('product_id', listed.product_id::text, stretch), ('coupon_id', listed.coupon_id::text, stretch), ('payment_link_id', listed.payment_link_id::text, stretch), ('amount/digits_2', lpad(trunc(listed.amount::numeric, 2 - length(listed.amount::text))::bigint::text, 12, '0'), stretch), ('amount/digits_1', lpad(trunc(listed.amount::numeric, 1 - length(listed.amount::text))::bigint::text, 12, '0'), stretch), ('paid_at/day', to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), stretch), ('status/product_id', case when listed.status <> 'pending' then listed.status || '/' || listed.product_id::text end, stretch), ('status/coupon_id', case when listed.status <> 'pending' then listed.status || '/' || listed.coupon_id::text end, stretch), ('status/payment_link_id', case when listed.status <> 'pending' then listed.status || '/' || listed.payment_link_id::text end, stretch), ('status/amount/digits_2', case when listed.status <> 'pending' then listed.status || '/' || lpad(trunc(listed.amount::numeric, 2 - length(listed.amount::text))::bigint::text, 12, '0') end, stretch), ('status/amount/digits_1', case when listed.status <> 'pending' then listed.status || '/' || lpad(trunc(listed.amount::numeric, 1 - length(listed.amount::text))::bigint::text, 12, '0') end, stretch), ('status/paid_at/day', case when listed.status <> 'pending' then listed.status || '/' || to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD') end, stretch), ('amount', lpad(trunc(listed.amount::numeric, 3 - length(listed.amount::text))::bigint::text, 12, '0'), 0), ('paid_at', coalesce(to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), ''), 0), ('updated_at', to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD'), 0), ('expires_at', to_char(listed.expires_at at time zone 'UTC', 'YYYY-MM-DD'), 0), ('status/amount', case when listed.status <> 'pending' then listed.status || '/' || lpad(trunc(listed.amount::numeric, 3 - length(listed.amount::text))::bigint::text, 12, '0') end, 0), ('status/paid_at', case when listed.status <> 'pending' then listed.status || '/' || coalesce(to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), '') end, 0)) told (name, value, stretch) where told.value is not null
$function$;


-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
CREATE OR REPLACE FUNCTION tallies_of(listed customers, stretch integer)
 RETURNS TABLE(name text, value text, stretch integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select * from (values ('updated_at', to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD'), 0), ('name', left(name_order(listed.name), 3), 0)) told (name, value, stretch)
$function$;


-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
CREATE OR REPLACE FUNCTION tallies_of(listed subscriptions, stretch integer)
 RETURNS TABLE(name text, value text, stretch integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
select * from (values ('status', listed.status, stretch), ('interval', listed.interval, stretch), ('status/interval', listed.status || '/' || listed.interval, stretch)) told (name, value, stretch) where told.value is not null
$function$;


-- The pieces of what was typed that a search asks the index for: few, and none that a quarter of the list has, if others are left (ADR 0046, 0049).
CREATE OR REPLACE FUNCTION telling_grams(list bigint, typed text, common integer[])
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
    low constant text := lower(typed);
    size constant integer := length(low);
    of_list constant integer := (list & 2147483647)::integer;
    grams integer[] := '{}';
    lengths integer[] := '{}';
    told integer[] := '{}';
    is_number boolean;
    ends_number boolean := false;
    piece text;
    gram integer;
    known integer;
    are_common boolean;
    longest integer := 0;
    found integer;
begin
    if size < 3 then
        return array[hashtext(chr(1) || low) # of_list];
    end if;
    for place in 1 .. size - 2 loop
        is_number := substr(low, place, 4) ~ '^[0-9]{4}$';
        foreach piece in array array[
            case when is_number then substr(low, place, 4) when not ends_number then substr(low, place, 3) end,
            case when substr(low, place + 3, 1) = ' ' and size >= place + 6 then substr(low, place, 7) end
        ] loop
            continue when piece is null;
            gram := hashtext(piece) # of_list;
            known := array_position(grams, gram);
            if known is null then
                grams := grams || gram;
                lengths := lengths || length(piece);
            else
                lengths[known] := greatest(lengths[known], length(piece));
            end if;
        end loop;
        ends_number := is_number;
    end loop;
    -- Of pieces that many rows have none is asked for, if there are others; around spaces a few of seven tell more than all of three.
    are_common := grams <@ common;
    for place in 1 .. cardinality(grams) loop
        if not are_common and grams[place] = any (common) then
            lengths[place] := 0;
        end if;
        longest := greatest(longest, lengths[place]);
    end loop;
    for place in 1 .. cardinality(grams) loop
        if lengths[place] > 3 or (lengths[place] > 0 and longest < 7) then
            told := told || grams[place];
        end if;
    end loop;
    found := cardinality(told);
    -- The letters of a word go together, so that a third piece of it tells little; those of ids don't.
    return case
        when found < 3 then told
        when found < 5 and low !~ '[0-9 ]' then array[told[1], told[found]]
        else array[told[1], told[found / 2 + 1], told[found]]
    end;
end
$function$;
