-- What the database does by itself: trigger functions, each with its triggers. `0001_initial` runs this file after the tables.

-- Copies a store's test clock into its account, which is read with every request (docs/test-clock.md).
create function copy_test_clock()
 returns trigger
 language plpgsql
as $$
begin
    update users set test_clock_offset = new.time_offset, test_clock_frozen_time = new.frozen_time
     where id = coalesce(new.store_id, old.store_id);
    return null;
end
$$;
create trigger test_clocks_copy after insert or delete or update of time_offset, frozen_time on test_clocks for each row execute function copy_test_clock();

-- Enters what a payment or a refund of a charge moves, for the worker to fold into its store's balance.
create function record_balance_entry()
 returns trigger
 language plpgsql
as $$
declare
    gross_change bigint := 0;
    fee_change bigint := 0;
    count_change smallint := 0;
begin
    if new.status = 'paid' then
        gross_change := new.amount - new.refunded_amount;
        fee_change := new.fee_amount;
        count_change := 1;
    end if;
    if tg_op = 'UPDATE' and old.status = 'paid' then
        gross_change := gross_change - (old.amount - old.refunded_amount);
        fee_change := fee_change - old.fee_amount;
        count_change := count_change - 1;
    end if;
    insert into balance_entries (user_id, environment, receiving_account_id, gross, fee, charges)
    values (new.user_id, new.environment, new.receiving_account_id, gross_change, fee_change, count_change);
    return null;
end
$$;
create trigger charges_balance_entry_moved after update of status, refunded_amount on charges for each row when ((old.status = 'paid') <> (new.status = 'paid') or (new.status = 'paid' and old.refunded_amount <> new.refunded_amount)) execute function record_balance_entry();
create trigger charges_balance_entry_paid after insert on charges for each row when (new.status = 'paid'::text) execute function record_balance_entry();

-- Queues records that other software inserts into audit_records, so that they are chained too.
create function queue_audit_record()
 returns trigger
 language plpgsql
as $$
    begin
        insert into audit_pending (record_id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id,
changes, created_at)
        select id, store_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, environment, source, ip, user_agent, request_id,
changes, created_at from recorded
         where not exists (
            select from audit_pending p where p.chain_id = coalesce(recorded.store_id, '00000000-0000-0000-0000-000000000000'::uuid) and p.record_id = recorded.id
         );
        return null;
    end
$$;
create trigger audit_records_queued after insert on audit_records referencing new table as recorded for each statement execute function queue_audit_record();

-- The audit trail is append-only: no update, delete or truncate.
create function prevent_audit_change()
 returns trigger
 language plpgsql
as $$
begin
    raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_pending_append_only before update on audit_pending for each row execute function prevent_audit_change();
create trigger audit_pending_no_truncate before truncate on audit_pending for each statement execute function prevent_audit_change();
create trigger audit_records_append_only before delete or update on audit_records for each row execute function prevent_audit_change();
create trigger audit_records_no_truncate before truncate on audit_records for each statement execute function prevent_audit_change();
create trigger audit_chain_append_only before delete or update on audit_chain for each row execute function prevent_audit_change();
create trigger audit_chain_no_truncate before truncate on audit_chain for each statement execute function prevent_audit_change();

-- A record is deleted from the queue only when an identical one is in the trail.
create function prevent_audit_loss()
 returns trigger
 language plpgsql
 set enable_hashjoin TO 'off'
 set enable_mergejoin TO 'off'
 set enable_seqscan TO 'off'
as $$
begin
    if exists (
        select from gone
          left join audit_records r on r.id = gone.record_id
         where r.id is null
            or (r.store_id, r.actor_type, r.actor_id, r.actor_name, r.action, r.resource_type, r.resource_id, r.environment, r.source, r.ip, r.user_agent, r.request_id, r.changes, r.created_at) is distinct from (gone.store_id, gone.actor_type, gone.actor_id, gone.actor_name, gone.action, gone.resource_type, gone.resource_id, gone.environment, gone.source, gone.ip, gone.user_agent, gone.request_id, gone.changes, gone.created_at)
    ) then
        raise insufficient_privilege using message = 'only a record that is in audit_records, unchanged, may be deleted from audit_pending';
    end if;
    return null;
end
$$;
create trigger audit_pending_no_loss after delete on audit_pending referencing old table as gone for each statement execute function prevent_audit_loss();
