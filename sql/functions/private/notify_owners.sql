create or replace function tenure_private.notify_owners(p_outcomes tenure_private.outcome [])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform pg_notify(w.channel, 'beat')
    from (
        select distinct w.channel
        from unnest(p_outcomes) as o
        join tenure_private.step as s on s.step_id = o.step_id
        join tenure_private.worker as w on w.owner = s.lease_owner
        where s.state = 'running' and w.expires_at > tenure_private.clock()
    ) as w;
end
$function$;
comment on function tenure_private.notify_owners(tenure_private.outcome []) is
'Asks the workers that run these steps, and are known to listen, for a heartbeat now: its answer tells them. Called before the steps move.';
revoke all on function tenure_private.notify_owners(tenure_private.outcome []) from public;
