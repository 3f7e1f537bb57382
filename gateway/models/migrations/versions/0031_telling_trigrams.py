"""the trigrams that many rows of a list have, which a search doesn't ask for (ADR 0046)"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0031'
down_revision = '0030'
branch_labels = None
depends_on = None

SEARCHED = ('charges', 'customers', 'subscriptions')


def upgrade() -> None:
    op.add_column('list_milestones', sa.Column('common_grams', postgresql.ARRAY(sa.Integer()), server_default='{}', nullable=False))
    # Of a long text three that are spread over it, since those beside each other are found together; of a short one all.
    op.execute("""
        create function telling_grams(list bigint, typed text, common integer[]) returns integer[] language sql immutable parallel safe as $$
            with grams as (
                select hashtext(substr(low, place, 3)) # (list & 2147483647)::integer as gram, min(place) as place
                  from lower(typed) low, generate_series(1, length(low) - 2) place
                 group by gram
            ),
            judged as (
                select gram, place, gram = any (common) as is_common, bool_and(gram = any (common)) over () as are_common from grams
            ),
            telling as (
                select gram, row_number() over (order by place) as nth, count(*) over () as found from judged
                 where is_common = are_common
            )
            select array_agg(gram) from telling where found <= 5 or nth in (1, found / 2 + 1, found)
        $$
    """)
    for table in SEARCHED:
        op.execute(f"""
            update list_milestones m set common_grams = array(
                select gram # hashint4(m.stretch)
                  from (select id from {table} t
                         where t.user_id = m.user_id and t.environment = m.environment and t.created_at <= m.upto
                         order by t.created_at desc limit 100) sample
                  join search_grams g on g.row_id = sample.id
                 cross join unnest(g.grams) gram
                 group by gram having count(*) > 25
            )
            where m.kind = '{table}' and not exists (
                select from list_milestones younger
                 where younger.kind = m.kind and younger.user_id = m.user_id and younger.environment = m.environment and younger.upto > m.upto
            )
        """)


def downgrade() -> None:
    op.execute('drop function telling_grams(bigint, text, integer[])')
    op.drop_column('list_milestones', 'common_grams')
