create or replace function tenure_private.purge_groups(p_step_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_left int := p_max_rows;
    v_count int;
begin
    delete from tenure_private.published as d using (
        select p.group_id, p.attempt, p.key
        from tenure_private.published as p
        where p.group_id = any(p_step_ids)
        limit v_left
    ) as g
    where d.group_id = g.group_id and d.attempt = g.attempt and d.key = g.key;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.staged as d using (
        select s.step_id, s.key from tenure_private.staged as s where s.step_id = any(p_step_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.key = g.key;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.event as d using (
        select e.run_id, e.seq from tenure_private.event as e where e.run_id = any(p_step_ids) limit v_left
    ) as g
    where d.run_id = g.run_id and d.seq = g.seq;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.layer as d using (
        select l.step_id, l.position from tenure_private.layer as l where l.step_id = any(p_step_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.position = g.position;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.member as d using (
        select m.group_id, m.attempt, m.node_id, m.step_id
        from tenure_private.member as m where m.group_id = any(p_step_ids) limit v_left
    ) as g
    where d.group_id = g.group_id and d.attempt = g.attempt and d.node_id = g.node_id and d.step_id = g.step_id;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.step_group as d using (
        select g.step_id from tenure_private.step_group as g where g.step_id = any(p_step_ids) limit v_left
    ) as g
    where d.step_id = g.step_id;
    get diagnostics v_count = row_count;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_groups(bigint[], int) is
'Removes at most p_max_rows rows that belong to these steps from the tables of groups; returns how many.';
revoke all on function tenure_private.purge_groups(bigint[], int) from public;
