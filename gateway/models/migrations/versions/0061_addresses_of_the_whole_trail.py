"""the audit trail: an address is tallied once for the whole list, too, as what else a record says is (ADR 0047)"""

from alembic import op
revision = '0061'
down_revision = '0060'
branch_labels = None
depends_on = None

# As migration 0034 has them.
WORDS = ('action', 'actor_type', 'actor_id', 'resource_type', 'source')
COLUMNS = ', '.join(f'listed.{name}' for name in (*WORDS, 'actor_name'))
ORIGIN = f'audit_origin(listed.ip, {COLUMNS})'
OF_ALL, IN_STRETCHES = f"('ip', {ORIGIN}, 0)", f"('ip/stretch', {ORIGIN}, stretch)"


def upgrade() -> None:
    stop_sweeping()
    tally(OF_ALL, IN_STRETCHES)
    for table in ('list_tallies', 'list_tally_entries'):
        op.execute(f"update {table} set name = 'ip/stretch' where kind = 'audit_records' and name = 'ip'")
        op.execute(f"""
            insert into {table} (kind, user_id, environment, name, value, stretch, rows)
            select kind, user_id, environment, 'ip', value, 0, sum(rows) from {table}
             where kind = 'audit_records' and name = 'ip/stretch' group by kind, user_id, environment, value
        """)


def downgrade() -> None:
    stop_sweeping()
    tally(f"('ip', {ORIGIN}, stretch)")
    for table in ('list_tallies', 'list_tally_entries'):
        op.execute(f"delete from {table} where kind = 'audit_records' and name = 'ip'")
        op.execute(f"update {table} set name = 'ip' where kind = 'audit_records' and name = 'ip/stretch'")


def stop_sweeping() -> None:
    """Until this is done, so that nothing is tallied as it was before."""
    op.execute('lock table list_tallies, list_tally_entries in share row exclusive mode')


def tally(*addresses: str) -> None:
    values = [f"('{word}', listed.{word}, stretch)" for word in WORDS]
    values += ["('facets', told, 0)", "('facets/stretch', told, stretch)", *addresses]
    op.execute(f"""
        create or replace function tallies_of(listed audit_records, stretch integer) returns table (name text, value text, stretch integer)
        language sql stable parallel safe as $$
            select tallied.* from (select audit_facets({COLUMNS}) as told) texts
             cross join lateral (values {', '.join(values)}) tallied (name, value, stretch) where tallied.value is not null
        $$
    """)
