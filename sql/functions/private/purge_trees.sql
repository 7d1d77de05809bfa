create or replace function tenure_private.purge_trees(p_run_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the runs. Children with all that is theirs first, then what groups have.
declare
    v_left int := p_max_rows;
    v_step_ids constant bigint [] = array(
        select s.step_id
        from tenure_private.step as s
        where s.root_id = any(p_run_ids) and s.parent_id is not null
        limit p_max_rows
    );
    v_count int;
begin
    v_left := v_left - tenure_private.purge_details(v_step_ids, v_left);
    v_left := v_left - tenure_private.purge_groups(v_step_ids || p_run_ids, v_left);
    with gone as materialized (
        select u.step_id
        from unnest(v_step_ids) as u (step_id)
        where not tenure_private.has_details(u.step_id) and not tenure_private.has_tree(u.step_id)
        limit v_left
    )
    delete from tenure_private.step as s using gone as g where s.step_id = g.step_id;
    get diagnostics v_count = row_count;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_trees(bigint[], int) is
'Removes at most p_max_rows rows that lie below these runs; returns how many.';
revoke all on function tenure_private.purge_trees(bigint[], int) from public;
