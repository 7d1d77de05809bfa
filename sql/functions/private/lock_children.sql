create or replace function tenure_private.lock_children(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A caller under a stricter level than READ COMMITTED sees the run as it was. PostgreSQL refuses it (40001) the lock of
-- a row that has changed since: reports change the row of their step, start_child() the row of who calls it.
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        perform tenure_private.lock_steps(p_run_id);
    end if;
end
$function$;
comment on function tenure_private.lock_children(bigint) is
'For callers that do not lock the children of a run anyway: sees to it that an old snapshot is noticed. The run is locked exclusively by the caller.';
revoke all on function tenure_private.lock_children(bigint) from public;
