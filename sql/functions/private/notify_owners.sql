create or replace function tenure_private.notify_owners(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform pg_notify(w.channel, 'beat')
    from (
        select distinct w.channel
        from tenure_private.step as s
        join tenure_private.worker as w on w.owner = s.lease_owner
        where s.step_id = any(p_step_ids) and s.state = 'running' and w.expires_at > tenure_private.clock()
    ) as w;
end
$function$;
comment on function tenure_private.notify_owners(bigint[]) is
'Asks the workers that run these steps, and are known to listen, for a heartbeat now: its answer tells them. Called before the steps move.';
revoke all on function tenure_private.notify_owners(bigint[]) from public;
