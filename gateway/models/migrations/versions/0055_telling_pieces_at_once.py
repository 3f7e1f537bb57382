"""telling_grams: a tenth of the time, for a query of a query was begun anew for each search (ADR 0046)"""

from alembic import op
revision = '0055'
down_revision = '0054'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(r"""
        create or replace function telling_grams(list bigint, typed text, common integer[]) returns integer[] language plpgsql immutable strict parallel safe as $$
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
            return case when found <= 5 then told else array[told[1], told[found / 2 + 1], told[found]] end;
        end
        $$
    """)


def downgrade() -> None:
    op.execute(r"""
        create or replace function telling_grams(list bigint, typed text, common integer[]) returns integer[] language sql immutable strict parallel safe as $$
            select * from (
    with places as (
        select low, place, substr(low, place, 4) ~ '^[0-9]{4}$' as is_number,
               lag(substr(low, place, 4) ~ '^[0-9]{4}$', 1, false) over (order by place) as ends_number
          from lower(typed) low, generate_series(1, length(low) - 2) place
    ),
    pieces as (
        select place, substr(low, place, case when is_number then 4 else 3 end) as piece from places where is_number or not ends_number
        union all
        select place, substr(low, place, 7) from places where substr(low, place + 3, 1) = ' ' and length(low) >= place + 6
    ),
    grams as (
        select hashtext(piece) # (list & 2147483647)::integer as gram, min(place) as place, max(length(piece)) as length from pieces group by gram
    ),
    judged as (
        select gram, place, length, gram = any (common) as is_common, bool_and(gram = any (common)) over () as are_common from grams
    ),
    telling as (
        select gram, place, length, max(length) over () as longest from judged where is_common = are_common
    ),
    asked as (
        select gram, row_number() over (order by place) as nth, count(*) over () as found from telling where length > 3 or longest < 7
    )
    select array_agg(gram) from asked where found <= 5 or nth in (1, found / 2 + 1, found)
) part where length(lower(typed)) > 2
            union all
            select array[hashtext(chr(1) || lower(typed)) # (list & 2147483647)::integer] where length(lower(typed)) < 3
        $$
    """)
