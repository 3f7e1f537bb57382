"""what a search and any filters of the audit trail find together, looked up as one text of a record (ADR 0047)"""

import sqlalchemy as sa
from alembic import op
revision = '0032'
down_revision = '0031'
branch_labels = None
depends_on = None

# As migration 0028 made them.
WORDS = ('action', 'actor_type', 'actor_id', 'resource_type', 'source')
ADDRESSES = {'ip': ('listed.ip', 'stretch')}
WHO = 'audit_who(action, actor_name)'
FACETS = f"audit_facets({', '.join(WORDS)}, actor_name)"


def upgrade() -> None:
    op.execute(f"""
        create function audit_facets({', '.join(f'{name} text' for name in WORDS)}, actor_name text) returns text
        language sql immutable parallel safe return
        {" || chr(10) || ".join(f"coalesce({name}, '')" for name in (*WORDS, 'actor_name'))}
    """)
    index('facets', FACETS)
    op.drop_index('ix_audit_records_who', table_name='audit_records')
    tally({'facets': ('told', '0'), 'facets/stretch': ('told', 'stretch')}, FACETS)
    op.execute("drop function audit_who(text, text)")


def downgrade() -> None:
    op.execute("""
        create function audit_who(action text, actor_name text) returns text
        language sql immutable parallel safe return action || chr(10) || coalesce(actor_name, '')
    """)
    index('who', WHO)
    op.drop_index('ix_audit_records_facets', table_name='audit_records')
    tally({'who': ('told', '0'), 'who/stretch': ('told', 'stretch')}, WHO)
    op.execute(f"drop function audit_facets({', '.join('text' for _ in (*WORDS, 'actor_name'))})")


def index(name: str, told: str) -> None:
    op.create_index(f'ix_audit_records_{name}', 'audit_records', [sa.text(f'audit_key(store_id, environment, {told})'), 'created_at', 'id'], unique=False)


def tally(searched: dict[str, tuple[str, str]], text: str) -> None:
    """Tally these, of all there is anew: the sweep does, and until then records are read one by one."""
    op.execute("delete from list_tallies where kind = 'audit_records'")
    op.execute("delete from list_tally_entries where kind = 'audit_records'")
    op.execute("update list_milestones set tallied = false where kind = 'audit_records'")
    told = [f"('{name}', listed.{name}, stretch)" for name in WORDS]
    told += [f"('{name}', {value}, {stretch})" for name, (value, stretch) in (searched | ADDRESSES).items()]
    of_record = text.replace('(', '(listed.').replace(', ', ', listed.')
    op.execute(f"""
        create or replace function tallies_of(listed audit_records, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select tallied.* from (select {of_record} as told) texts
             cross join lateral (values {', '.join(told)}) tallied (name, value, stretch) where tallied.value is not null
        $$
    """)
