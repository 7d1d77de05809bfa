create or replace function tenure_private.closed_queues()
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A grant holds for whoever has the rights of its role, as any other right does. Those of the login hold whatever role
-- it has set: by SET ROLE to a role of many, such as tenure_worker, nobody gets out of his own queues.
declare
    v_own int [];
    v_login int [];
    v_closed int [];
begin
    if not exists (select from tenure_private.queue_grant as g)
        or tenure_private.may_use_all(tenure_private.caller())
    then
        return '{}'::int [];
    end if;
    v_own := tenure_private.granted_queues(tenure_private.caller());
    if not tenure_private.may_use_all(session_user) then
        v_login := tenure_private.granted_queues(session_user);
    end if;
    select coalesce(array_agg(q.queue_id), '{}') into strict v_closed
    from tenure_private.queue as q
    where case
        when v_own is not null then q.queue_id <> all(v_own)
        else exists (select from tenure_private.queue_grant as g where g.queue_id = q.queue_id)
    end
    or (v_login is not null and q.queue_id <> all(v_login));
    return v_closed;
end
$function$;
comment on function tenure_private.closed_queues() is
'The queues that the caller may not use: all but its own when any was granted to it, else those that were granted to others; and all but its login''s own, when any was granted to that. None for operators and the owner.';
revoke all on function tenure_private.closed_queues() from public;
