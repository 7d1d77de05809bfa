create or replace function tenure_private.open_groups(p_group_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- Mounts of one workflow under the same policy are opened together: a map may have ten thousand.
declare
    v_ended bigint [] := tenure_private.refuse_elements(p_group_ids, p_now);
    v_group_ids constant bigint [] = array(
        select u.step_id from unnest(p_group_ids) as u (step_id) where u.step_id <> all(v_ended)
    );
    r_alike record;
begin
    if v_group_ids = '{}' then
        return v_ended;
    end if;
    perform tenure_private.begin_attempt(v_group_ids, p_now);
    for r_alike in
        select
            g.workflow_id, g.inherited, g.quota_ids, q.name as queue, t.priority,
            array_agg(s.step_id order by s.step_id) as group_ids
        from tenure_private.step as s
        join tenure_private.step_group as g on g.step_id = s.step_id
        join tenure_private.track as t on t.track_id = s.track_id
        join tenure_private.queue as q on q.queue_id = t.queue_id
        where s.step_id = any(v_group_ids) and g.workflow_id is not null
        group by 1, 2, 3, 4, 5
        order by 6
    loop
        v_ended := v_ended || tenure_private.open_workflows(
            r_alike.group_ids, r_alike.workflow_id, r_alike.inherited, r_alike.quota_ids,
            r_alike.queue, r_alike.priority, p_now
        );
    end loop;
    for r_alike in
        select s.step_id
        from tenure_private.step_group as s
        where s.step_id = any(v_group_ids) and s.maps
        order by s.step_id
    loop
        v_ended := v_ended || tenure_private.open_map(r_alike.step_id, p_now);
    end loop;
    return v_ended;
end
$function$;
comment on function tenure_private.open_groups(bigint[], timestamptz) is
'Begins the present attempt of these groups: makes their children. Returns the steps that ended by it, for their groups to be told.';
revoke all on function tenure_private.open_groups(bigint[], timestamptz) from public;
