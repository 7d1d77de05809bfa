create or replace function tenure_private.output_keys(p_workflow_id int)
returns text[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: define_workflow() asks for what it has just written.
declare
    v_keys text [];
begin
    select coalesce(w.outputs, array(
        select k.key
        from tenure_private.node as n
        cross join unnest(n.provides) as k (key)
        where n.workflow_id = w.workflow_id
        order by k.key
    ))
    into strict v_keys
    from tenure_private.workflow as w
    where w.workflow_id = p_workflow_id;
    return v_keys;
end
$function$;
comment on function tenure_private.output_keys(int) is 'The keys that a run of this version of a workflow gives out: its outputs, else all that its nodes provide.';
revoke all on function tenure_private.output_keys(int) from public;
