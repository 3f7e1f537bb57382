"""tallies of subscriptions by status and interval, and of customers by the day of their last change (ADR 0041)"""

from alembic import op
revision = '0026'
down_revision = '0025'
branch_labels = None
depends_on = None

# By the name of a tally its value and its stretch: words in each stretch, days in the whole list.
TALLIES = {
    'subscriptions': {'status': ('listed.status', 'stretch'), 'interval': ('listed.interval', 'stretch')},
    'customers': {'updated_at': ("to_char(listed.updated_at at time zone 'UTC', 'YYYY-MM-DD')", '0')},
}
LATE = "new.created_at < clock_timestamp() - interval '15 minutes'"


def upgrade() -> None:
    for table, tallies in TALLIES.items():
        told = ', '.join(f"('{name}', {value}, {stretch})" for name, (value, stretch) in tallies.items())
        op.execute(f"""
            create function tallies_of(listed {table}, stretch integer) returns table (name text, value text, stretch integer)
            language sql stable parallel safe as $$
                select * from (values {told}) told (name, value, stretch)
            $$
        """)
        op.execute(f"""
            create function keep_{table}_tallied() returns trigger language plpgsql as $$
            declare
                one {table};
                was {table};
                reached integer;
            begin
                if tg_op <> 'DELETE' then one := new; end if;
                if tg_op <> 'INSERT' then was := old; end if;
                if tg_op = 'DELETE' then one := was; end if;
                perform pg_advisory_xact_lock_shared(list_number('{table}', one.user_id, one.environment));
                select m.stretch into reached from list_milestones m
                 where m.kind = '{table}' and m.user_id = one.user_id and m.environment = one.environment and m.upto >= one.created_at and m.tallied
                 order by m.upto limit 1;
                if found then
                    insert into list_tally_entries (kind, user_id, environment, name, value, stretch, rows)
                    select '{table}', one.user_id, one.environment, name, value, stretch, sum(change) from (
                        select come.*, 1 as change from tallies_of(one, reached) come where tg_op <> 'DELETE'
                        union all
                        select gone.*, -1 from tallies_of(was, reached) gone where tg_op <> 'INSERT'
                    ) changed group by name, value, stretch having sum(change) <> 0;
                end if;
                return null;
            end
            $$
        """)
        changed = ' or '.join(f"{value.replace('listed.', 'new.')} is distinct from {value.replace('listed.', 'old.')}" for value, _ in tallies.values())
        for what, when in (
            ('come_late', f'after insert on {table} for each row when ({LATE})'),
            ('go', f'after delete on {table} for each row'),
            ('change_late', f'after update of {", ".join(tallies)} on {table} for each row when ({LATE} and ({changed}))'),
        ):
            op.execute(f'create trigger {table}_{what}_tallied {when} execute function keep_{table}_tallied()')


def downgrade() -> None:
    for table in TALLIES:
        for what in ('change_late', 'go', 'come_late'):
            op.execute(f'drop trigger {table}_{what}_tallied on {table}')
        op.execute(f'drop function keep_{table}_tallied()')
        op.execute(f'drop function tallies_of({table}, integer)')
        op.execute(f"delete from list_tallies where kind = '{table}'")
        op.execute(f"delete from list_tally_entries where kind = '{table}'")
        op.execute(f"update list_milestones set tallied = false where kind = '{table}'")
