"""searches: rows are marked by what else they are found by, in the index of their texts (ADR 0060)"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0052'
down_revision = '0051'
branch_labels = None
depends_on = None

GRAMS = 'grams_in(list_number(kind, user_id, environment), stretch, texts, documents)'
TEXTS = ['customer_name', 'customer_email', 'description', 'external_reference', 'txid', 'end_to_end_id', 'customer_cpf', 'customer_phone']
MARKED = ['customer_id', 'product_id', 'coupon_id', 'payment_link_id', 'amount']


def upgrade() -> None:
    # An index calls its functions where no other is in sight, so this one is told of the other when it is made.
    op.execute("""
        create function marks_in(list bigint, stretch integer, said text[]) returns integer[] language sql immutable parallel safe
        return array(select hashtext(mark) # (list & 2147483647)::integer # hashint4(stretch) from unnest(said) mark where mark is not null)
    """)
    op.execute("""
        comment on function marks_in is
        'The marks of what a row is filtered by, hashed together with its list and stretch: what the index of searches has of it besides its texts (ADR 0060).'
    """)
    op.drop_index('ix_search_texts_grams', table_name='search_texts')
    op.add_column('search_texts', sa.Column('marks', postgresql.ARRAY(sa.Integer()), server_default='{}', nullable=False))
    keep_anew()
    index(f'({GRAMS} || marks)')
    change_late([*TEXTS, *MARKED])


def downgrade() -> None:
    op.drop_index('ix_search_texts_grams', table_name='search_texts')
    op.drop_column('search_texts', 'marks')
    index(GRAMS)
    op.execute('drop function marks_in(bigint, integer, text[])')
    change_late(TEXTS)


def index(pieces: str) -> None:
    op.create_index('ix_search_texts_grams', 'search_texts', [sa.text(pieces)], unique=False, postgresql_using='gin', postgresql_with={'fastupdate': 'off'})
    # No plan asks how often a piece occurs, which ANALYZE would cut thousands of texts to pieces for.
    op.execute('alter index ix_search_texts_grams alter column 1 set statistics 0')


def change_late(columns: list[str]) -> None:
    changed = ' or '.join(f'new.{name} is distinct from old.{name}' for name in columns)
    op.execute('drop trigger charges_change_late on charges')
    op.execute(f"""
        create trigger charges_change_late after update of {', '.join(columns)} on charges
        for each row when (new.created_at < clock_timestamp() - interval '15 minutes' and ({changed})) execute function keep_charges_listed()
    """)


def keep_anew() -> None:
    """By the next sweep. Until then searches read these rows themselves."""
    op.execute("""
        with forgotten as (
            delete from search_texts where kind = 'charges' returning kind, user_id, environment, stretch, row_id
        )
        insert into search_waiting (kind, user_id, environment, stretch, row_id)
        select kind, user_id, environment, stretch, row_id from forgotten
        on conflict do nothing
    """)
