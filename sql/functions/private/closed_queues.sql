create or replace function tenure_private.closed_queues()
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A grant holds for whoever has the rights of its role, as any other right does.
declare
    v_caller constant name = tenure_private.caller();
    v_own int [];
    v_closed int [];
begin
    if not exists (select from tenure_private.queue_grant as g)
        or pg_has_role(v_caller, 'tenure_operator', 'usage') or pg_has_role(v_caller, 'tenure_owner', 'usage')
    then
        return '{}'::int [];
    end if;
    select array_agg(g.queue_id) into strict v_own
    from tenure_private.queue_grant as g
    -- By name, so that a role that is gone grants nothing and raises nothing.
    join pg_roles as r on r.rolname = g.role
    where pg_has_role(v_caller, r.oid, 'usage');
    select coalesce(array_agg(q.queue_id), '{}') into strict v_closed
    from tenure_private.queue as q
    where case
        when v_own is not null then q.queue_id <> all(v_own)
        else exists (select from tenure_private.queue_grant as g where g.queue_id = q.queue_id)
    end;
    return v_closed;
end
$function$;
comment on function tenure_private.closed_queues() is
'The queues that the caller may not use: all but its own when any was granted to it, else those that were granted to others. None for operators and the owner.';
revoke all on function tenure_private.closed_queues() from public;
