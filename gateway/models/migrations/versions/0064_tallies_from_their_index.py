"""lists: tallies are summed from their index alone (ADR 0041)"""

from alembic import op
revision = '0064'
down_revision = '0063'
branch_labels = None
depends_on = None

KEY = 'kind, user_id, environment, name, value, stretch'


def upgrade() -> None:
    made_anew('include (rows)')
    # Pages of which all may see all are read from the index; those of the whole list's tallies change with each sweep.
    op.execute('alter table list_tallies set (autovacuum_vacuum_scale_factor = 0.02)')


def downgrade() -> None:
    op.execute('alter table list_tallies reset (autovacuum_vacuum_scale_factor)')
    made_anew('')


def made_anew(included: str) -> None:
    op.execute(f'alter table list_tallies drop constraint pk_list_tallies, add constraint pk_list_tallies primary key ({KEY}) {included}')
