"""what a search of the audit trail looks up: tallies of who did what and of addresses, and an index of the records of each (ADR 0043)"""

import sqlalchemy as sa
from alembic import op
revision = '0028'
down_revision = '0027'
branch_labels = None
depends_on = None

# In each stretch, ids and words as they are (migration 0023).
WORDS = ('action', 'actor_type', 'actor_id', 'resource_type', 'source')
WHO = 'audit_who(listed.action, listed.actor_name)'
# By the name of a tally its value and its stretch: addresses are as many as payers, so they are tallied once.
SEARCHED = {'who': (WHO, '0'), 'who/stretch': (WHO, 'stretch'), 'ip': ('listed.ip', 'stretch')}


def upgrade() -> None:
    op.execute("""
        create function audit_who(action text, actor_name text) returns text
        language sql immutable parallel safe return action || chr(10) || coalesce(actor_name, '')
    """)
    # A number for the store, the environment and the text together: an entry of an index takes half of what they would take themselves.
    op.execute("""
        create function audit_key(store_id uuid, environment text, told text) returns bigint
        language sql immutable parallel safe return hashtextextended(environment || told, uuid_hash_extended(store_id, 0))
    """)
    op.create_index('ix_audit_records_who', 'audit_records', [sa.text('audit_key(store_id, environment, audit_who(action, actor_name))'), 'created_at', 'id'], unique=False)
    op.create_index('ix_audit_records_ip', 'audit_records', [sa.text('audit_key(store_id, environment, ip)'), 'created_at', 'id'], unique=False, postgresql_where=sa.text('ip is not null'))
    tally(SEARCHED)


def downgrade() -> None:
    tally({})
    op.drop_index('ix_audit_records_ip', table_name='audit_records', postgresql_where=sa.text('ip is not null'))
    op.drop_index('ix_audit_records_who', table_name='audit_records')
    op.execute("drop function audit_key(uuid, text, text)")
    op.execute("drop function audit_who(text, text)")


def tally(searched: dict[str, tuple[str, str]]) -> None:
    """Tally these, of all there is anew: the sweep does, and until then records are read one by one."""
    op.execute("delete from list_tallies where kind = 'audit_records'")
    op.execute("delete from list_tally_entries where kind = 'audit_records'")
    op.execute("update list_milestones set tallied = false where kind = 'audit_records'")
    told = [f"('{name}', listed.{name}, stretch)" for name in WORDS]
    told += [f"('{name}', {value}, {stretch})" for name, (value, stretch) in searched.items()]
    op.execute(f"""
        create or replace function tallies_of(listed audit_records, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select * from (values {', '.join(told)}) told (name, value, stretch) where told.value is not null
        $$
    """)
