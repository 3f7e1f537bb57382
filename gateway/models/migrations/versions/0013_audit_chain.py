"""the audit trail's chain: what is to be sealed, the seals, and the filters' indexes"""

import sqlalchemy as sa
from alembic import op
revision = '0013'
down_revision = '0012'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('audit_pending',
    sa.Column('chain_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('record_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.PrimaryKeyConstraint('chain_id', 'record_id', name=op.f('pk_audit_pending'))
    )
    op.create_table('audit_seals',
    sa.Column('chain_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('position', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('record_id', sa.Uuid(as_uuid=False), nullable=False),
    sa.Column('prev_hash', sa.LargeBinary(), nullable=True),
    sa.Column('hash', sa.LargeBinary(), nullable=False),
    sa.PrimaryKeyConstraint('chain_id', 'position', name=op.f('pk_audit_seals'))
    )
    op.create_index('uq_audit_seals_record_id', 'audit_seals', ['record_id'], unique=True)
    op.drop_index('ix_audit_records_store', table_name='audit_records')
    op.create_index('ix_audit_records_store', 'audit_records', ['store_id', 'environment', 'created_at', 'id'], unique=False)
    op.create_index('ix_audit_records_action', 'audit_records', ['store_id', 'environment', 'action', 'created_at', 'id'], unique=False)
    op.create_index('ix_audit_records_type', 'audit_records', ['store_id', 'environment', 'resource_type', 'created_at', 'id'], unique=False)
    op.create_index('ix_audit_records_actor', 'audit_records', ['store_id', 'environment', 'actor_id', 'created_at', 'id'], unique=False)
    op.create_index('ix_audit_records_people', 'audit_records', ['store_id', 'environment', 'actor_type', 'created_at', 'id'], unique=False, postgresql_where=sa.text("actor_type in ('user', 'staff')"))
    op.create_index('ix_audit_records_resource', 'audit_records', ['resource_id', 'created_at'], unique=False, postgresql_where=sa.text('resource_id is not null'))

    # A queue is rewritten all the time: it is tidied by its own size, not by that of a table.
    op.execute("""
        alter table audit_pending set
            (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)
    """)
    op.execute("""
        create function queue_audit_record() returns trigger language plpgsql as $$
        begin
            insert into audit_pending (chain_id, record_id)
            values (coalesce(new.store_id, '00000000-0000-0000-0000-000000000000'), new.id);
            return null;
        end
        $$
    """)
    op.execute("""
        create trigger audit_records_queued after insert on audit_records
        for each row execute function queue_audit_record()
    """)
    op.execute("""
        insert into audit_pending (chain_id, record_id)
        select coalesce(store_id, '00000000-0000-0000-0000-000000000000'), id from audit_records
    """)

    # Neither what happened nor the chain over it can be changed; the function is of 0001.
    op.execute("""
        create trigger audit_seals_append_only before update or delete on audit_seals
        for each row execute function refuse_audit_change()
    """)
    for table in ("audit_records", "audit_seals"):
        op.execute(f"""
            create trigger {table}_kept before truncate on {table}
            for each statement execute function refuse_audit_change()
        """)


def downgrade() -> None:
    op.execute("drop trigger audit_seals_kept on audit_seals")
    op.execute("drop trigger audit_records_kept on audit_records")
    op.execute("drop trigger audit_seals_append_only on audit_seals")
    op.execute("drop trigger audit_records_queued on audit_records")
    op.execute("drop function queue_audit_record()")
    op.drop_index('ix_audit_records_resource', table_name='audit_records', postgresql_where=sa.text('resource_id is not null'))
    op.drop_index('ix_audit_records_people', table_name='audit_records', postgresql_where=sa.text("actor_type in ('user', 'staff')"))
    op.drop_index('ix_audit_records_actor', table_name='audit_records')
    op.drop_index('ix_audit_records_type', table_name='audit_records')
    op.drop_index('ix_audit_records_action', table_name='audit_records')
    op.drop_index('ix_audit_records_store', table_name='audit_records')
    op.create_index('ix_audit_records_store', 'audit_records', ['store_id', 'created_at', 'id'], unique=False)
    op.drop_index('uq_audit_seals_record_id', table_name='audit_seals')
    op.drop_table('audit_seals')
    op.drop_table('audit_pending')
