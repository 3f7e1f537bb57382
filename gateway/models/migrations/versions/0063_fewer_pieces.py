"""telling_grams: three pieces of what was typed at most, and two of a short word (ADR 0046)"""

from alembic import op
revision = '0063'
down_revision = '0062'
branch_labels = None
depends_on = None


def upgrade() -> None:
    telling_grams("""
            -- The letters of a word go together, so that a third piece of it tells little; those of ids don't.
            return case
                when found < 3 then told
                when found < 5 and low !~ '[0-9 ]' then array[told[1], told[found]]
                else array[told[1], told[found / 2 + 1], told[found]]
            end;""")


def downgrade() -> None:
    telling_grams("""
            return case when found <= 5 then told else array[told[1], told[found / 2 + 1], told[found]] end;""")


def telling_grams(told: str) -> None:
    op.execute(f"""
        create or replace function telling_grams(list bigint, typed text, common integer[]) returns integer[] language plpgsql immutable strict parallel safe as $$
        declare
            low constant text := lower(typed);
            size constant integer := length(low);
            of_list constant integer := (list & 2147483647)::integer;
            grams integer[] := '{{}}';
            lengths integer[] := '{{}}';
            told integer[] := '{{}}';
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
                is_number := substr(low, place, 4) ~ '^[0-9]{{4}}$';
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
            found := cardinality(told);{told}
        end
        $$
    """)
