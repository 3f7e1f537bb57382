"""charges and events lie in parts, of which one is open at its end and cut when it has grown (ADR 0064)"""

from alembic import op
revision = '0059'
down_revision = '0058'
branch_labels = None
depends_on = None

TABLES = ('charges', 'webhook_events')
# What is unique without the id is so in each part; models/base.py says why that is enough.
UNIQUE = {
    'charges': ('uq_charges_txid', 'uq_charges_external_reference', 'uq_charges_billing_cycle'),
    'webhook_events': ('uq_webhook_events_dedupe_key',),
}
REFERENCES = (
    ('repaid_charges', 'charge_id', 'charges'),
    ('deducted_charges', 'charge_id', 'charges'),
    ('webhook_deliveries', 'event_id', 'webhook_events'),
)

OPEN_PART = """
    create function open_part(whole regclass) returns regclass language sql stable as $$
        select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = whole and pg_get_expr(c.relpartbound, c.oid) like '%TO (MAXVALUE)'
    $$
"""
PART_SINCE = """
    create function part_since(part regclass) returns uuid language sql stable as $$
        select substring(pg_get_expr(c.relpartbound, c.oid) from $r$FROM \\('([0-9a-f-]{36})'\\)$r$)::uuid from pg_class c where c.oid = part
    $$
"""
CUT = """
    create function cut_further(whole text, length text, grown bigint) returns text language plpgsql security definer set lock_timeout = '2s' as $$
    declare
        part regclass := open_part(whole::regclass);
        since uuid := part_since(part);
        announced record;
        until uuid;
        taken boolean;
        next text;
        settings text;
    begin
        if whole not in ('charges', 'webhook_events') or part is null then
            raise exception 'there is nothing to cut of %', whole using errcode = 'invalid_parameter_value';
        end if;
        select convalidated as proven, substring(pg_get_constraintdef(oid) from $r$id < '([0-9a-f-]{36})'$r$)::uuid as until
          into announced from pg_constraint where conrelid = part and conname = 'until_the_cut';
        if not found then
            if (select reltuples from pg_class where oid = part) < grown then
                return null;
            end if;
            until := part_begin((date_trunc(length, (now() + interval '7 days') at time zone 'UTC') + ('1 ' || length)::interval) at time zone 'UTC');
            -- The part has yet to begin.
            if until <= since then
                return null;
            end if;
            -- What is refused is what lies beyond, so nobody may be writing while it is looked for.
            execute format('lock table %s in access exclusive mode', part);
            execute format('select exists(select from %s where id >= %L)', part, until) into taken;
            if taken then
                return null;
            end if;
            execute format('alter table %s add constraint until_the_cut check (id < %L%s) not valid', part, until, case when since is not null then format(' and id >= %L', since) else '' end);
            return 'announced';
        end if;
        -- Whatever has kept it from being made, nothing shall be refused for it.
        if announced.until < part_begin(now() + interval '1 day') then
            execute format('alter table %s drop constraint until_the_cut', part);
            return 'abandoned';
        end if;
        if not announced.proven then
            execute format('alter table %s validate constraint until_the_cut', part);
            return 'proven';
        end if;
        next := format('%s_%s', whole, to_char(part_begun(announced.until) at time zone 'UTC', 'YYYYMMDD'));
        execute format('create table %I (like %s including all)', next, part);
        execute format('alter table %I drop constraint until_the_cut', next);
        select array_to_string(reloptions, ', ') into settings from pg_class where oid = part;
        if settings <> '' then
            execute format('alter table %I set (%s)', next, settings);
        end if;
        -- Of a part without pages the planner would have all read, and of the others with it, to be sorted. So it has some, and keeps them.
        execute format('alter table %I set (vacuum_truncate = off)', next);
        execute format('insert into %I select * from %s order by id desc limit 500', next, part);
        execute format('delete from %I', next);
        execute format('lock table %s in access exclusive mode', whole);
        execute format('alter table %s detach partition %s', whole, part);
        execute format('alter table %s attach partition %s for values from (%s) to (%L)', whole, part, coalesce(quote_literal(since), 'minvalue'), announced.until);
        execute format('alter table %s drop constraint until_the_cut', part);
        execute format('alter table %s attach partition %I for values from (%L) to (maxvalue)', whole, next, announced.until);
        return 'cut';
    end
    $$
"""
DROP_EVENTS = """
    create function drop_event_parts(before timestamptz) returns integer language plpgsql security definer set lock_timeout = '2s' as $$
    declare
        part record;
        dropped integer := 0;
    begin
        for part in
            select c.oid::regclass as name, substring(pg_get_expr(c.relpartbound, c.oid) from $r$TO \\('([0-9a-f-]{36})'\\)$r$)::uuid as until
              from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'webhook_events'::regclass
        loop
            -- An event is kept for as long as something of it is to be delivered.
            if part.until <= part_begin(least(before, now() - interval '30 days'))
               and not exists (select from webhook_deliveries d where d.event_id < part.until) then
                execute format('drop table %s', part.name);
                dropped := dropped + 1;
            end if;
        end loop;
        return dropped;
    end
    $$
"""
ANALYSE = """
    create function analyse_wholes() returns integer language plpgsql security definer as $$
    declare
        whole record;
        analysed integer := 0;
    begin
        for whole in
            select s.relid::regclass as name from pg_class c join pg_stat_user_tables s on s.relid = c.oid
             where c.relkind = 'p' and c.relnamespace = current_schema()::regnamespace and exists (
                select from pg_inherits i join pg_stat_user_tables p on p.relid = i.inhrelid
                 where i.inhparent = c.oid
                   and greatest(p.last_analyze, p.last_autoanalyze) > coalesce(s.last_analyze, '-infinity')
             )
        loop
            execute format('analyze only %s', whole.name);
            analysed := analysed + 1;
        end loop;
        return analysed;
    end
    $$
"""
SAID = {
    'part_begin(timestamptz)': 'The smallest UUIDv7 of a moment, at which a part of a table by time may begin (ADR 0037).',
    'part_begun(uuid)': 'The moment of an id at which a part of a table begins.',
    'open_part(regclass)': 'The part of a table that has no end yet (ADR 0064).',
    'part_since(regclass)': 'The id at which a part of a table begins; nothing of the first (ADR 0064).',
    'cut_further(text, text, bigint)': 'Takes a table that has grown beyond so many rows one step towards its next cut, at the beginning of a month or week to come, and says which: announced, proven, cut; abandoned, if it is too late (ADR 0064).',
    'drop_event_parts(timestamptz)': 'Drops the parts of events that ended before a moment, at least 30 days ago, and of which nothing is left to deliver; how many (ADR 0064).',
    'analyse_wholes()': 'Gathers statistics of each table in parts of which a part has been analysed since, for autovacuum minds parts alone; how many (ADR 0064).',
}
KEPT = ('cut_further(text, text, bigint)', 'drop_event_parts(timestamptz)', 'analyse_wholes()')


def upgrade() -> None:
    _rename_begin('audit_part_begin', 'part_begin')
    op.execute("""
        create function part_begun(id uuid) returns timestamptz language sql immutable as $$
            select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
        $$
    """)
    for made in (OPEN_PART, PART_SINCE, CUT, DROP_EVENTS, ANALYSE):
        op.execute(made)
    for table, column, whole in REFERENCES:
        op.drop_constraint(f'fk_{table}_{column}', table, type_='foreignkey')
    for table in TABLES:
        _part(table)
    _speak_of_the_whole()
    for name, said in SAID.items():
        op.execute(f"comment on function {name} is '{said}'")
    for name in KEPT:
        _keep(name)


def downgrade() -> None:
    for table in reversed(TABLES):
        _join(table)
    for table, column, whole in REFERENCES:
        op.create_foreign_key(f'fk_{table}_{column}', table, whole, [column], ['id'])
    for name in KEPT:
        op.execute(f'drop function {name}')
    op.execute('drop function open_part(regclass)')
    op.execute('drop function part_since(regclass)')
    op.execute('drop function part_begun(uuid)')
    _rename_begin('part_begin', 'audit_part_begin')


def _rename_begin(old: str, new: str) -> None:
    """Also where functions call it, which know it by its name alone."""
    op.execute(f'alter function {old}(timestamptz) rename to {new}')
    _rewrite(f"where p.proname in ('make_audit_part', 'settle_audit_part')", old, new)


def _rewrite(which: str, old: str, new: str) -> None:
    op.execute(f"""
        do $$
        declare
            one record;
        begin
            for one in select pg_get_functiondef(p.oid) as written from pg_proc p {which} and p.pronamespace = current_schema()::regnamespace loop
                execute replace(one.written, '{old}', '{new}');
            end loop;
        end
        $$
    """)


def _part(table: str) -> None:
    """The table becomes the first part of one of its name, unmoved."""
    unique = ', '.join(f"'{name}'" for name in UNIQUE[table])
    op.execute(f'lock table {table} in access exclusive mode')
    op.execute(f"""
        do $$
        declare
            triggers text[] := array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = '{table}'::regclass and not tgisinternal order by tgname);
            indexes text[] := array(
                select pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
                 where i.indrelid = '{table}'::regclass and not i.indisprimary and c.relname not in ({unique}) order by c.relname
            );
            one record;
            written text;
        begin
            for one in select tgname from pg_trigger where tgrelid = '{table}'::regclass and not tgisinternal loop
                execute format('drop trigger %I on {table}', one.tgname);
            end loop;
            for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = '{table}'::regclass loop
                execute format('alter index %I rename to %I', one.relname, one.relname || '_first');
            end loop;
            alter table {table} rename to {table}_first;
            create table {table} (like {table}_first including defaults including constraints) partition by range (id);
            alter table {table} add constraint pk_{table} primary key (id);
            for one in select conname, pg_get_constraintdef(oid) as written from pg_constraint where conrelid = '{table}_first'::regclass and contype = 'f' loop
                execute format('alter table {table} add constraint %I %s', one.conname, one.written);
            end loop;
            foreach written in array indexes loop
                execute written;
            end loop;
            alter table {table} attach partition {table}_first for values from (minvalue) to (maxvalue);
            foreach written in array triggers loop
                execute written;
            end loop;
            -- Whose the table is, and what others may do.
            execute (select format('alter table {table} owner to %I', pg_get_userbyid(relowner)) from pg_class where oid = '{table}_first'::regclass);
            for one in
                select a.privilege_type as what, a.is_grantable as again, case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as who
                  from pg_class c cross join lateral aclexplode(c.relacl) a where c.oid = '{table}_first'::regclass and a.grantee <> c.relowner
            loop
                execute format('grant %s on {table} to %s', one.what, one.who) || case when one.again then ' with grant option' else '' end;
            end loop;
        end
        $$
    """)


def _speak_of_the_whole() -> None:
    """In a trigger of a part, `tg_table_name` is the part's, and what a row is tallied as goes by the type of the whole."""
    _rewrite("where p.proname = 'keep_charges_listed'", 'tg_table_name', "''charges''")
    _tally_by('charges', 'charges_first')


def _tally_by(new: str, old: str) -> None:
    op.execute(f"""
        do $$
        declare
            said text := obj_description('tallies_of({old}, integer)'::regprocedure, 'pg_proc');
        begin
            execute replace(pg_get_functiondef('tallies_of({old}, integer)'::regprocedure), 'listed {old}', 'listed {new}');
            drop function tallies_of({old}, integer);
            execute format('comment on function tallies_of({new}, integer) is %L', said);
        end
        $$
    """)


def _keep(function: str) -> None:
    """From everybody but those who write charges."""
    op.execute(f"""
        do $$
        declare
            writer record;
        begin
            -- Where the tables are; temporary ones come last, or a caller's would be taken for ours.
            execute format('alter function {function} set search_path = %I, pg_temp', current_schema());
            revoke execute on function {function} from public;
            for writer in
                select distinct r.rolname from pg_class c cross join lateral aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
                 where c.oid = 'charges'::regclass and a.privilege_type = 'INSERT'
            loop
                execute format('grant execute on function {function} to %I', writer.rolname);
            end loop;
        end
        $$
    """)


def _join(table: str) -> None:
    """All parts become one table again: what isn't in the first is moved there."""
    if table == 'charges':
        _rewrite("where p.proname = 'keep_charges_listed'", "''charges''", 'tg_table_name')
    op.execute(f"""
        do $$
        declare
            triggers text[] := array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = '{table}'::regclass and not tgisinternal order by tgname);
            first regclass := (select inhrelid::regclass from pg_inherits join pg_class c on c.oid = inhrelid
                                where inhparent = '{table}'::regclass and pg_get_expr(c.relpartbound, c.oid) like '%FROM (MINVALUE)%');
            one record;
            written text;
        begin
            if first is null then
                raise exception 'the first part of {table} is gone, so there is no way back';
            end if;
            execute format('alter table {table} detach partition %s', first);
            execute format('alter table %s drop constraint if exists until_the_cut', first);
            execute format('insert into %s select * from {table}', first);
            for one in select tgname from pg_trigger where tgrelid = '{table}'::regclass and not tgisinternal loop
                execute format('drop trigger %I on {table}', one.tgname);
            end loop;
            alter table {table} rename to {table}_parted;
            for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = '{table}_parted'::regclass loop
                execute format('alter index %I rename to %I', one.relname, one.relname || '_parted');
            end loop;
            execute format('alter table %s rename to {table}', first);
            for one in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = '{table}'::regclass loop
                execute format('alter index %I rename to %I', one.relname, regexp_replace(one.relname, '_first$', ''));
            end loop;
            foreach written in array triggers loop
                execute written;
            end loop;
        end
        $$
    """)
    if table == 'charges':
        _tally_by('charges', 'charges_parted')
    op.execute(f'drop table {table}_parted')
