"""the audit trail: an address and any other filters are looked up as one text of a record, too (ADR 0047)"""

import sqlalchemy as sa
from alembic import op
revision = '0034'
down_revision = '0033'
branch_labels = None
depends_on = None

# As migration 0032 has them.
WORDS = ('action', 'actor_type', 'actor_id', 'resource_type', 'source')
COLUMNS = (*WORDS, 'actor_name')
FACETS = f"audit_facets({', '.join(COLUMNS)})"
ORIGIN = f"audit_origin(ip, {', '.join(COLUMNS)})"


def upgrade() -> None:
    # What a record says besides is a hash there, since of each address there is a tally in each stretch.
    op.execute(f"""
        create function audit_origin(ip text, {', '.join(f'{name} text' for name in COLUMNS)}) returns text
        language sql immutable parallel safe return ip || chr(10) || to_hex(hashtextextended({FACETS}, 0))
    """)
    look_up('ip', ORIGIN)


def downgrade() -> None:
    look_up('ip', 'ip')
    op.execute(f"drop function audit_origin(text, {', '.join('text' for _ in COLUMNS)})")


def look_up(name: str, told: str) -> None:
    """Address by address: an index of these texts, and tallies, of all there is anew. The sweep makes them, and until then records are
    read one by one.
    """
    op.drop_index(f'ix_audit_records_{name}', table_name='audit_records', postgresql_where=sa.text('ip is not null'))
    op.create_index(f'ix_audit_records_{name}', 'audit_records', [sa.text(f'audit_key(store_id, environment, {told})'), 'created_at', 'id'], unique=False, postgresql_where=sa.text('ip is not null'))
    op.execute("delete from list_tallies where kind = 'audit_records'")
    op.execute("delete from list_tally_entries where kind = 'audit_records'")
    op.execute("update list_milestones set tallied = false where kind = 'audit_records'")
    values = [f"('{word}', listed.{word}, stretch)" for word in WORDS]
    values += ["('facets', told, 0)", "('facets/stretch', told, stretch)", f"('{name}', {of_listed(told)}, stretch)"]
    op.execute(f"""
        create or replace function tallies_of(listed audit_records, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select tallied.* from (select {of_listed(FACETS)} as told) texts
             cross join lateral (values {', '.join(values)}) tallied (name, value, stretch) where tallied.value is not null
        $$
    """)


def of_listed(told: str) -> str:
    return told.replace('(', '(listed.').replace(', ', ', listed.') if '(' in told else f'listed.{told}'
