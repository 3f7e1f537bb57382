-- Monthly partitions of the tables that grow with every charge. `0001_initial` runs this file last.
-- A partition is a range of ids, because a UUIDv7 begins with its time. Rows of a month without a partition go to the default partition.

-- The smallest UUIDv7 of a month.
create function partition_lower_bound(month date)
 returns uuid
 language sql
 immutable
as $$
select (lpad(to_hex((extract(epoch from date_trunc('month', month::timestamp) at time zone 'UTC') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The smallest UUIDv7 of the next month.
create function partition_upper_bound(month date)
 returns uuid
 language sql
 immutable
as $$
select partition_lower_bound((date_trunc('month', month::timestamp) + interval '1 month')::date)
$$;

-- Revokes writing to a partition by its name. All roles but its owner write through the partitioned table, with its privileges.
create function protect_partition(part regclass)
 returns void
 language plpgsql
as $$
declare
    writer record;
begin
    for writer in
        select distinct case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as name
          from pg_class c cross join lateral aclexplode(c.relacl) a where c.oid = part and a.grantee <> c.relowner
    loop
        execute format('revoke insert, update, delete, truncate on %s from %s', part, writer.name);
    end loop;
    -- A partition inherits row triggers, but not triggers of `truncate`.
    if exists (select from pg_inherits where inhrelid = part and inhparent = 'audit_records'::regclass) then
        execute format('create or replace trigger %I before truncate on %s for each statement execute function prevent_audit_change()', part || '_no_truncate', part);
    end if;
end
$$;

-- Creates the partition of a month with the columns, indexes and settings of the default partition. False if it exists.
-- `lock_timeout` is shorter than `deadlock_timeout`, so no other transaction is aborted.
create function create_month_partition(parent regclass, month date)
 returns boolean
 language plpgsql
 security definer
 set search_path to 'public', 'pg_temp'
 set lock_timeout to '500ms'
as $$
declare
    part text := parent || to_char(month, '_YYYYMM');
    model regclass := (parent || '_default')::regclass;
    settings text := (select array_to_string(reloptions, ', ') from pg_class where oid = model);
begin
    -- A second worker waits here.
    execute format('lock table %s in share update exclusive mode', parent);
    if to_regclass(part) is not null then
        return false;
    end if;
    execute format('create table %I (like %s including all)', part, model);
    if settings is not null then
        execute format('alter table %I set (%s)', part, settings);
    end if;
    execute format(
        'alter table %s attach partition %I for values from (%L) to (%L)', parent, part, partition_lower_bound(month), partition_upper_bound(month)
    );
    perform protect_partition(part::regclass);
    return true;
end
$$;
revoke execute on function create_month_partition from public;

-- Drops the events of a month with their deliveries and attempts. False if one of these deliveries is pending.
create function drop_webhook_partitions(month date)
 returns boolean
 language plpgsql
 security definer
 set search_path to 'public', 'pg_temp'
 set lock_timeout to '500ms'
as $$
declare
    parent text;
begin
    -- A request to resend a delivery waits here, and then does not find the delivery.
    lock table webhook_events, webhook_deliveries, webhook_attempts in access exclusive mode;
    if exists (
        select from webhook_deliveries
         where event_id >= partition_lower_bound(month) and event_id < partition_upper_bound(month) and state = 0
    ) then
        return false;
    end if;
    foreach parent in array array['webhook_attempts', 'webhook_deliveries', 'webhook_events'] loop
        execute format('drop table if exists %I', parent || to_char(month, '_YYYYMM'));
    end loop;
    return true;
end
$$;
revoke execute on function drop_webhook_partitions from public;

-- Moves the rows of a month from the default partition to their own, and returns their number. Only for the tables' owner (docs/deployment.md).
create function drain_default_partition(parent regclass, month date)
 returns bigint
 language plpgsql
as $$
declare
    model text := parent || '_default';
    part text := parent || to_char(month, '_YYYYMM');
    key name := (select attname from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0] where p.partrelid = parent);
    moved bigint;
begin
    execute format('lock table %s in access exclusive mode', parent);
    execute format('alter table %s detach partition %I', parent, model);
    perform create_month_partition(parent, month);
    -- No trigger runs, so that the hash chain does not get the same records twice.
    execute format('alter table %I disable trigger user', part);
    execute format(
        'with moved as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into %5$I select * from moved',
        model, key, partition_lower_bound(month), partition_upper_bound(month), part
    );
    get diagnostics moved = row_count;
    execute format('alter table %I enable trigger user', part);
    execute format('alter table %s attach partition %I default', parent, model);
    return moved;
end
$$;

create table audit_records_default partition of audit_records default;
create table webhook_events_default partition of webhook_events default;
create table webhook_deliveries_default partition of webhook_deliveries default;
create table webhook_attempts_default partition of webhook_attempts default;

-- Unique within a month: a unique index of the partitioned table would need `id`.
create unique index uq_webhook_events_default_dedupe_key on webhook_events_default (dedupe_key);
alter table webhook_events_default set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table webhook_deliveries_default set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
alter table webhook_attempts_default set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

select protect_partition(part) from unnest(array['audit_records_default', 'webhook_events_default', 'webhook_deliveries_default', 'webhook_attempts_default']::regclass[]) part;
-- The worker creates the next ones (gateway/resolvers/core/partitions.py).
select create_month_partition(parent, (date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead))::date)
  from unnest(array['audit_records', 'webhook_events', 'webhook_deliveries', 'webhook_attempts']::regclass[]) parent cross join generate_series(-1, 3) ahead;
