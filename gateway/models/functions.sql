-- Functions that columns, indexes and statements call. `0001_initial` runs this file before the tables, `triggers.sql` after them.

-- The pieces of texts, hashed together with their list: three characters of any part, four digits of a number, the beginnings of words, and what is around a space (ADR 0046, 0048, 0049).
create function grams_of(list bigint, texts text, documents text)
 returns integer[]
 language sql
 immutable parallel safe
as $$
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
$$;

-- What a record says in its columns of few values, a line for each, so that all filters of the trail are looked up together (ADR 0047).
create function audit_facets(action text, actor_type text, actor_id text, resource_type text, source text, actor_name text)
 returns text
 language sql
 immutable parallel safe
return ((((((((((coalesce(action, ''::text) || chr(10)) || coalesce(actor_type, ''::text)) || chr(10)) || coalesce(actor_id, ''::text)) || chr(10)) || coalesce(resource_type, ''::text)) || chr(10)) || coalesce(source, ''::text)) || chr(10)) || coalesce(actor_name, ''::text));

-- The hash of what several records of a store say alike, by which indexes of the trail find them (ADR 0043, 0047).
create function audit_key(store_id uuid, environment text, told text)
 returns bigint
 language sql
 immutable parallel safe
return hashtextextended((environment || told), uuid_hash_extended(store_id, (0)::bigint));

-- An address with the hash of the facets that a record from there has: what a search of an address and filters looks up (ADR 0047).
create function audit_origin(ip text, action text, actor_type text, actor_id text, resource_type text, source text, actor_name text)
 returns text
 language sql
 immutable parallel safe
return ((ip || chr(10)) || to_hex(hashtextextended(audit_facets(action, actor_type, actor_id, resource_type, source, actor_name), (0)::bigint)));

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

-- A text in lower case and without accents, as searches compare it (ADR 0050); `gateway.resolvers.listing.folding` makes the same of what is typed.
create function folded(said text)
 returns text
 language sql
 immutable parallel safe strict
return lower(normalize(regexp_replace(normalize(said, nfd), '[\u0300-\u036f]'::text, ''::text, 'g'::text), nfc));

-- The pieces of a row's texts, hashed together with its list and stretch: what the index of searches has of it (ADR 0046, 0048).
create function grams_in(list bigint, stretch integer, texts text, documents text)
 returns integer[]
 language sql
 immutable parallel safe
return array(select (gram.gram # hashint4(grams_in.stretch)) from unnest(grams_of(grams_in.list, grams_in.texts, grams_in.documents)) gram(gram));

-- The number of a list, for its advisory lock and for what is hashed of it.
create function list_number(kind text, store uuid, environment text)
 returns bigint
 language sql
 immutable parallel safe
as $$
select hashtextextended(kind || store::text || environment, 0)
$$;

-- Makes the part of the trail for a month, and says whether there was none (ADR 0037).
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

-- The marks of what a row is filtered by, hashed together with its list and stretch: what the index of searches has of it besides its texts (ADR 0060).
create function marks_in(list bigint, stretch integer, said text[])
 returns integer[]
 language sql
 immutable parallel safe
return array(select ((hashtext(mark.mark) # ((marks_in.list & (2147483647)::bigint))::integer) # hashint4(marks_in.stretch)) from unnest(marks_in.said) mark(mark) where (mark.mark is not null));

-- A name in the order of its letters, whatever its case and accents (ADR 0045).
create function name_order(name text)
 returns text
 language sql
 immutable parallel safe strict
return regexp_replace(normalize(lower(name), nfd), '[\u0300-\u036f]'::text, ''::text, 'g'::text);

-- The smallest UUIDv7 of a moment, at which a part of a table by time may begin (ADR 0037).
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

-- The pieces of what was typed that a search asks the index for: few, and none that a quarter of the list has, if others are left (ADR 0046, 0049).
create function telling_grams(list bigint, typed text, common integer[])
 returns integer[]
 language plpgsql
 immutable parallel safe strict
as $$
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
$$;
