create or replace function tenure_private.granted_queues(p_role name)
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_granted int [];
begin
    select array_agg(g.queue_id) into strict v_granted
    from tenure_private.queue_grant as g
    -- By name, so that a role that is gone grants nothing and raises nothing.
    join pg_roles as r on r.rolname = g.role
    where pg_has_role(p_role, r.oid, 'usage');
    return v_granted;
end
$function$;
comment on function tenure_private.granted_queues(name) is 'The queues granted to a role or to roles whose rights it has; NULL: none was.';
revoke all on function tenure_private.granted_queues(name) from public;
