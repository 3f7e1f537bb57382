-- Extensions and functions that columns, indexes and statements use. `0001_initial` runs this file before the tables,
-- `triggers.sql` after them.

create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- A text in lower case and without accents, as names are ordered and searches compare.
create function normalize_search_text(content text) returns text language sql immutable strict parallel safe
return public.unaccent('public.unaccent'::regdictionary, lower(content));

-- The search text of a row: its texts, normalized, one a line. The blank before each lets a pattern match the start of a
-- word; the line break prevents a pattern from matching across two texts.
create function search_text(variadic texts text[]) returns text language sql immutable parallel safe
return public.normalize_search_text(' ' || array_to_string(texts, E'\n '));

-- The LIKE pattern for a substring search.
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
