-- Extensions and functions that columns, indexes and statements use. `0001_initial` runs this file before the tables,
-- `triggers.sql` after them.

create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- A text in lower case and without accents, as names are ordered and searches compare.
create function normalize_search_text(content text) returns text language sql immutable strict parallel safe
return public.unaccent('public.unaccent'::regdictionary, lower(content));

-- What a row is searched in: its texts, normalized, each on a line of its own. The blank in front of each lets a pattern
-- ask for the beginning of a word; the line break keeps a pattern from spanning two texts.
create function search_text(variadic texts text[]) returns text language sql immutable parallel safe
return public.normalize_search_text(' ' || array_to_string(texts, E'\n '));

-- The LIKE pattern that finds what was typed, as part of a text.
create function contains_pattern(typed text) returns text language sql immutable strict parallel safe
return '%' || regexp_replace(public.normalize_search_text(typed), '([\\%_])', '\\\1', 'g') || '%';

-- The regular expression that finds a word that begins with what was typed: behind a blank or a sign of ASCII.
create function word_beginning_pattern(typed text) returns text language sql immutable strict parallel safe
return '[\n -/:-@[-`{-~]' || public.normalize_search_text(typed);

-- Moves the entries of the trigram indexes that wait in their pending lists into the indexes; how many pages those were.
create function flush_search_indexes() returns bigint language sql security definer set search_path = public, pg_temp
begin atomic
    select sum(gin_clean_pending_list(c.oid)) from pg_class c
     where c.relname in ('ix_charges_search', 'ix_customers_search', 'ix_products_search', 'ix_subscriptions_search')
       and c.relnamespace = 'public'::regnamespace;
end;
revoke execute on function flush_search_indexes from public;

-- Leaves a part of the trail to its owner: others write to the trail alone.
create function close_audit_part(part regclass)
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
end
$$;

-- Makes the part of the trail for a month, and says whether there was none.
create function make_audit_part(month date)
 returns boolean
 language plpgsql
 security definer
 set search_path to 'public', 'pg_temp'
as $$
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
$$;
revoke execute on function make_audit_part from public;

-- The smallest UUIDv7 of a moment, at which a part of a table by time may begin.
create function part_begin(moment timestamp with time zone)
 returns uuid
 language sql
 immutable
as $$
select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Gives records that lie in the default part the part of their month (docs/audit.md).
create function settle_audit_part(month date)
 returns bigint
 language plpgsql
as $$
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
$$;