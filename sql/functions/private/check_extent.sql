create or replace function tenure_private.check_extent(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Level by level, each workflow once a level with how often it is mounted there: forty levels of two mounts each are
-- a short definition and more steps than any disk holds. What maps make is bounded by itself.
declare
    v_ids int [] := array[p_workflow_id];
    v_times bigint [] := array[1]::bigint [];
    v_steps bigint := 0::bigint;
begin
    while v_ids is not null loop
        select v_steps + sum(u.times)::bigint into strict v_steps
        from unnest(v_ids, v_times) as u (id, times)
        join tenure_private.node as n on n.workflow_id = u.id;
        if v_steps > 10000 then
            perform tenure_private.refuse(
                'workflow_invalid', 'the workflow is too large', 'A run would begin with more than 10000 steps.',
                'Use a map, or start runs of their own.'
            );
        end if;
        select array_agg(m.id), array_agg(m.times) into strict v_ids, v_times
        from (
            select (tenure_private.latest_workflow(n.workflow)).workflow_id as id, sum(u.times)::bigint as times
            from unnest(v_ids, v_times) as u (id, times)
            join tenure_private.node as n on n.workflow_id = u.id and n.workflow is not null and n.map_key is null
            group by n.workflow
        ) as m;
    end loop;
end
$function$;
comment on function tenure_private.check_extent(int) is
'Refuses (TN031) a version of a workflow that would have more than 10,000 steps, mounted workflows included, maps aside.';
revoke all on function tenure_private.check_extent(int) from public;
