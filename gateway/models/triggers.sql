-- What the database does by itself: trigger functions, each with its triggers. `0001_initial` runs this file after the tables.

-- Copies a store's test clock into its account, which is read with every request (docs/test-clock.md).
create function copy_test_clock()
 returns trigger
 language plpgsql
as $$
begin
    update users set test_clock_ahead = new.ahead, test_clock_stands_at = new.stands_at
     where id = coalesce(new.store_id, old.store_id);
    return null;
end
$$;
create trigger test_clocks_copy after insert or delete or update of ahead, stands_at on test_clocks for each row execute function copy_test_clock();

-- Takes deliveries that are forgotten off what their endpoints have counted.
create function count_deliveries_gone()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger webhook_deliveries_go after delete on webhook_deliveries referencing old table as gone for each statement execute function count_deliveries_gone();

-- Adds a delivery that comes below what its endpoint has counted.
create function count_delivery_late()
 returns trigger
 language plpgsql
as $$
begin
    insert into webhook_delivery_counts (endpoint_id) values (new.endpoint_id) on conflict do nothing;
    perform from webhook_delivery_counts c where c.endpoint_id = new.endpoint_id for update;
    update webhook_delivery_counts c set rows = c.rows + 1 where c.endpoint_id = new.endpoint_id and c.upto >= new.created_at;
    return null;
end
$$;
create trigger webhook_deliveries_come_late after insert on webhook_deliveries for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function count_delivery_late();

-- Enters a charge that becomes paid, or is paid no more, for the worker to fold into its store's balance (ADR 0028).
create function enter_into_balance()
 returns trigger
 language plpgsql
as $$
declare
    sign smallint := case when new.status = 'paid' then 1 else -1 end;
begin
    insert into balance_entries (user_id, environment, receiving_account_id, gross, fee, charges)
    values (new.user_id, new.environment, new.receiving_account_id, sign * new.amount, sign * new.fee_amount, sign);
    return null;
end
$$;
create trigger charges_enter_balance_moved after update of status on charges for each row when ((old.status = 'paid'::text) <> (new.status = 'paid'::text)) execute function enter_into_balance();
create trigger charges_enter_balance_paid after insert on charges for each row when (new.status = 'paid'::text) execute function enter_into_balance();

-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
create function keep_audit_records_listed()
 returns trigger
 language plpgsql
as $$
begin
    perform pg_advisory_xact_lock_shared(list_number('audit_records', new.store_id, new.environment));
    update list_milestones m set rows = m.rows + 1
     where m.kind = 'audit_records' and m.user_id = new.store_id and m.environment = new.environment and m.upto >= new.created_at;
    return null;
end
$$;
create trigger audit_records_come_late after insert on audit_records for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_audit_records_listed();

-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
create function keep_audit_records_tallied()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger audit_records_come_late_tallied after insert on audit_records for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_audit_records_tallied();

-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
create function keep_charges_listed()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger charges_change_late after update of customer_name, customer_email, description, external_reference, txid, end_to_end_id, customer_cpf, customer_phone, customer_id, product_id, coupon_id, payment_link_id, amount, status on charges for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.customer_name IS DISTINCT from old.customer_name or new.customer_email IS DISTINCT from old.customer_email or new.description IS DISTINCT from old.description or new.external_reference IS DISTINCT from old.external_reference or new.txid IS DISTINCT from old.txid or new.end_to_end_id IS DISTINCT from old.end_to_end_id or new.customer_cpf IS DISTINCT from old.customer_cpf or new.customer_phone IS DISTINCT from old.customer_phone or new.customer_id IS DISTINCT from old.customer_id or new.product_id IS DISTINCT from old.product_id or new.coupon_id IS DISTINCT from old.coupon_id or new.payment_link_id IS DISTINCT from old.payment_link_id or new.amount IS DISTINCT from old.amount or new.status <> old.status AND ((new.status = ANY (ARRAY['canceled'::text, 'refunded'::text])) or (old.status = ANY (ARRAY['canceled'::text, 'refunded'::text]))))) execute function keep_charges_listed();
create trigger charges_come_late after insert on charges for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_charges_listed();
create trigger charges_go after delete on charges for each row execute function keep_charges_listed();

-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
create function keep_charges_tallied()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger charges_change_late_tallied after update of status, product_id, coupon_id, payment_link_id, amount, paid_at, updated_at, expires_at on charges for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (
        CASE
            when new.status <> 'pending'::text THEN new.status
            ELSE NULL::text
        END IS DISTINCT from
        CASE
            when old.status <> 'pending'::text THEN old.status
            ELSE NULL::text
        END or new.product_id::text IS DISTINCT from old.product_id::text or new.coupon_id::text IS DISTINCT from old.coupon_id::text or new.payment_link_id::text IS DISTINCT from old.payment_link_id::text or lpad(trunc(new.amount::numeric, 3 - length(new.amount::text))::bigint::text, 12, '0'::text) IS DISTINCT from lpad(trunc(old.amount::numeric, 3 - length(old.amount::text))::bigint::text, 12, '0'::text) or coalesce(to_char((new.paid_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text), ''::text) IS DISTINCT from coalesce(to_char((old.paid_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text), ''::text) or to_char((new.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) IS DISTINCT from to_char((old.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) or to_char((new.expires_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) IS DISTINCT from to_char((old.expires_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text))) execute function keep_charges_tallied();
create trigger charges_come_late_tallied after insert on charges for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_charges_tallied();
create trigger charges_go_tallied after delete on charges for each row execute function keep_charges_tallied();

-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
create function keep_customers_listed()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger customers_change_late after update of name, email, cpf, phone on customers for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.name IS DISTINCT from old.name or new.email IS DISTINCT from old.email or new.cpf IS DISTINCT from old.cpf or new.phone IS DISTINCT from old.phone)) execute function keep_customers_listed();
create trigger customers_come_late after insert on customers for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_customers_listed();
create trigger customers_go after delete on customers for each row execute function keep_customers_listed();

-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
create function keep_customers_tallied()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger customers_change_late_tallied after update of updated_at, name on customers for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (to_char((new.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) IS DISTINCT from to_char((old.updated_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD'::text) or "left"(name_order(new.name), 3) IS DISTINCT from "left"(name_order(old.name), 3))) execute function keep_customers_tallied();
create trigger customers_come_late_tallied after insert on customers for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_customers_tallied();
create trigger customers_go_tallied after delete on customers for each row execute function keep_customers_tallied();

-- Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048).
create function keep_subscriptions_listed()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger subscriptions_change_late after update of customer_name, customer_email, description, external_reference, customer_cpf on subscriptions for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.customer_name IS DISTINCT from old.customer_name or new.customer_email IS DISTINCT from old.customer_email or new.description IS DISTINCT from old.description or new.external_reference IS DISTINCT from old.external_reference or new.customer_cpf IS DISTINCT from old.customer_cpf)) execute function keep_subscriptions_listed();
create trigger subscriptions_come_late after insert on subscriptions for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_subscriptions_listed();
create trigger subscriptions_go after delete on subscriptions for each row execute function keep_subscriptions_listed();

-- Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041).
create function keep_subscriptions_tallied()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger subscriptions_change_late_tallied after update of status, "interval" on subscriptions for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval) AND (new.status IS DISTINCT from old.status or new."interval" IS DISTINCT from old."interval")) execute function keep_subscriptions_tallied();
create trigger subscriptions_come_late_tallied after insert on subscriptions for each row when (new.created_at < (clock_timestamp() - '00:15:00'::interval)) execute function keep_subscriptions_tallied();
create trigger subscriptions_go_tallied after delete on subscriptions for each row execute function keep_subscriptions_tallied();

-- Has a record that is written where lists find it sealed as well, unless it came from the queue (ADR 0040).
create function queue_audit_record()
 returns trigger
 language plpgsql
as $$
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
$$;
create trigger audit_records_queued after insert on audit_records referencing new table as recorded for each statement execute function queue_audit_record();

-- Refuses changes of the trail, deletions and truncations.
create function refuse_audit_change()
 returns trigger
 language plpgsql
as $$
begin
    raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_pending_append_only before update on audit_pending for each row execute function refuse_audit_change();
create trigger audit_pending_kept before truncate on audit_pending for each statement execute function refuse_audit_change();
create trigger audit_records_append_only before delete or update on audit_records for each row execute function refuse_audit_change();
create trigger audit_records_kept before truncate on audit_records for each statement execute function refuse_audit_change();
create trigger audit_seals_append_only before delete or update on audit_seals for each row execute function refuse_audit_change();
create trigger audit_seals_kept before truncate on audit_seals for each statement execute function refuse_audit_change();

-- Refuses that a record leaves the queue unless it is in the trail, as it was.
create function refuse_audit_loss()
 returns trigger
 language plpgsql
 set enable_hashjoin TO 'off'
 set enable_mergejoin TO 'off'
 set enable_seqscan TO 'off'
as $$
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
$$;
create trigger audit_pending_leaves after delete on audit_pending referencing old table as gone for each statement execute function refuse_audit_loss();

-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
create function tallies_of(listed audit_records, stretch integer)
 returns table(name text, value text, stretch integer)
 language sql
 stable parallel safe
as $$
select tallied.* from (select audit_facets(listed.action, listed.actor_type, listed.actor_id, listed.resource_type, listed.source, listed.actor_name) as told) texts
 cross join lateral (values ('action', listed.action, stretch), ('actor_type', listed.actor_type, stretch), ('actor_id', listed.actor_id, stretch), ('resource_type', listed.resource_type, stretch), ('source', listed.source, stretch), ('facets', told, 0), ('facets/stretch', told, stretch), ('ip', audit_origin(listed.ip, listed.action, listed.actor_type, listed.actor_id, listed.resource_type, listed.source, listed.actor_name), 0), ('ip/stretch', audit_origin(listed.ip, listed.action, listed.actor_type, listed.actor_id, listed.resource_type, listed.source, listed.actor_name), stretch)) tallied (name, value, stretch) where tallied.value is not null
$$;

-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
create function tallies_of(listed charges, stretch integer)
 returns table(name text, value text, stretch integer)
 language sql
 stable parallel safe
as $$
select * from (values ('status', case when listed.status <> 'pending' then listed.status end, stretch), ('product_id', listed.product_id::text, stretch), ('coupon_id', listed.coupon_id::text, stretch), ('payment_link_id', listed.payment_link_id::text, stretch), ('amount/digits_2', lpad(trunc(listed.amount::numeric, 2 - length(listed.amount::text))::bigint::text, 12, '0'), stretch), ('amount/digits_1', lpad(trunc(listed.amount::numeric, 1 - length(listed.amount::text))::bigint::text, 12, '0'), stretch), ('paid_at/day', to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), stretch), ('status/product_id', case when listed.status <> 'pending' then listed.status || '/' || listed.product_id::text end, stretch), ('status/coupon_id', case when listed.status <> 'pending' then listed.status || '/' || listed.coupon_id::text end, stretch), ('status/payment_link_id', case when listed.status <> 'pending' then listed.status || '/' || listed.payment_link_id::text end, stretch), ('status/amount/digits_2', case when listed.status <> 'pending' then listed.status || '/' || lpad(trunc(listed.amount::numeric, 2 - length(listed.amount::text))::bigint::text, 12, '0') end, stretch), ('status/amount/digits_1', case when listed.status <> 'pending' then listed.status || '/' || lpad(trunc(listed.amount::numeric, 1 - length(listed.amount::text))::bigint::text, 12, '0') end, stretch), ('status/paid_at/day', case when listed.status <> 'pending' then listed.status || '/' || to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD') end, stretch), ('amount', lpad(trunc(listed.amount::numeric, 3 - length(listed.amount::text))::bigint::text, 12, '0'), 0), ('paid_at', coalesce(to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), ''), 0), ('updated_at', to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD'), 0), ('expires_at', to_char(listed.expires_at at time zone 'UTC', 'YYYY-MM-DD'), 0), ('status/amount', case when listed.status <> 'pending' then listed.status || '/' || lpad(trunc(listed.amount::numeric, 3 - length(listed.amount::text))::bigint::text, 12, '0') end, 0), ('status/paid_at', case when listed.status <> 'pending' then listed.status || '/' || coalesce(to_char(listed.paid_at at time zone 'UTC', 'YYYY-MM-DD'), '') end, 0)) told (name, value, stretch) where told.value is not null
$$;

-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
create function tallies_of(listed customers, stretch integer)
 returns table(name text, value text, stretch integer)
 language sql
 stable parallel safe
as $$
select * from (values ('updated_at', to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD'), 0), ('name', left(name_order(listed.name), 3), 0)) told (name, value, stretch)
$$;

-- What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044).
create function tallies_of(listed subscriptions, stretch integer)
 returns table(name text, value text, stretch integer)
 language sql
 stable parallel safe
as $$
select * from (values ('status', listed.status, stretch), ('interval', listed.interval, stretch), ('status/interval', listed.status || '/' || listed.interval, stretch)) told (name, value, stretch) where told.value is not null
$$;

-- The trail's first partitions; the worker makes those to come.
create table audit_records_default partition of audit_records default;
select close_audit_part('audit_records_default');
create trigger audit_records_default_kept before truncate on audit_records_default for each statement execute function refuse_audit_change();
select make_audit_part((date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead))::date) from generate_series(-1, 3) ahead;
