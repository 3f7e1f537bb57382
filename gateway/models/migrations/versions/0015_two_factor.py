"""panel sessions, second factors, and API keys with scopes that expire"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
revision = '0015'
down_revision = '0014'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('sessions',
    sa.Column('id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('ip', sa.Text(), nullable=True),
    sa.Column('user_agent', sa.Text(), nullable=True),
    sa.Column('begun_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('last_used_at', sa.DateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_sessions_user_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_sessions'))
    )
    op.create_index('ix_sessions_user_id', 'sessions', ['user_id'], unique=False)
    op.create_table('two_factors',
    sa.Column('user_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('secret', sa.LargeBinary(), nullable=False),
    sa.Column('recovery_hashes', postgresql.ARRAY(sa.LargeBinary()), server_default='{}', nullable=False),
    sa.Column('last_step', sa.BigInteger(), server_default='0', nullable=False),
    sa.Column('uses', sa.Integer(), server_default='0', nullable=False),
    sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
    sa.Column('confirmed_at', sa.DateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['user_id'], ['users.id'], name=op.f('fk_two_factors_user_id')),
    sa.PrimaryKeyConstraint('user_id', name=op.f('pk_two_factors'))
    )
    op.add_column('api_keys', sa.Column('scopes', postgresql.ARRAY(sa.Text()), nullable=True))
    op.add_column('api_keys', sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True))
    op.create_check_constraint(
        op.f('ck_api_keys_scopes'),
        'api_keys',
        "scopes <@ array['read', 'charges', 'catalogue', 'withdrawals'] and cardinality(scopes) > 0",
    )


def downgrade() -> None:
    op.drop_column('api_keys', 'expires_at')
    op.drop_column('api_keys', 'scopes')
    op.drop_table('two_factors')
    op.drop_index('ix_sessions_user_id', table_name='sessions')
    op.drop_table('sessions')
