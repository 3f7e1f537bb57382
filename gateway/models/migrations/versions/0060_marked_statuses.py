"""searches: charges that were canceled or refunded are marked in the index of their texts (ADR 0060)"""

from alembic import op
revision = '0060'
down_revision = '0059'
branch_labels = None
depends_on = None

FEW = ('canceled', 'refunded')
KEPT = [
    'customer_name', 'customer_email', 'description', 'external_reference', 'txid', 'end_to_end_id', 'customer_cpf', 'customer_phone',
    'customer_id', 'product_id', 'coupon_id', 'payment_link_id', 'amount',
]


def upgrade() -> None:
    keep_anew()
    listed = ', '.join(f"'{status}'" for status in FEW)
    change_late(f'new.status <> old.status and (new.status in ({listed}) or old.status in ({listed}))', 'status')


def downgrade() -> None:
    keep_anew()
    change_late()


def change_late(also: str = '', *columns: str) -> None:
    changed = ' or '.join([*(f'new.{name} is distinct from old.{name}' for name in KEPT), *filter(None, [also])])
    op.execute('drop trigger charges_change_late on charges')
    op.execute(f"""
        create trigger charges_change_late after update of {', '.join([*KEPT, *columns])} on charges
        for each row when (new.created_at < clock_timestamp() - interval '15 minutes' and ({changed})) execute function keep_charges_listed()
    """)


def keep_anew() -> None:
    """By the next sweep. Until then searches read these rows themselves."""
    op.execute(f"""
        with forgotten as (
            delete from search_texts s using charges c
             where c.id = s.row_id and s.kind = 'charges' and c.status in {FEW}
            returning s.kind, s.user_id, s.environment, s.stretch, s.row_id
        )
        insert into search_waiting (kind, user_id, environment, stretch, row_id)
        select kind, user_id, environment, stretch, row_id from forgotten
        on conflict do nothing
    """)
