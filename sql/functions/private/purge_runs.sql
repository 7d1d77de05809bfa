create or replace function tenure_private.purge_runs(p_run_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the runs, tried. What hangs on a run goes first and its row last; a run that is too large for one call is
-- marked, so that from now on nobody sees or retries it.
declare
    v_run_ids bigint [];
    v_detailed_ids bigint [];
    v_tree_ids bigint [];
    v_left int := p_max_rows;
    v_count int;
begin
    with locked as materialized (
        select s.step_id, s.tree
        from tenure_private.step as s
        where s.step_id = any(p_run_ids) and s.finished_at is not null
            and (not s.tree or not tenure_private.in_flight_below(s.step_id))
        order by s.step_id
        for update skip locked
    )
    select
        array_agg(l.step_id), array_agg(l.step_id) filter (where l.tree or tenure_private.has_details(l.step_id)),
        array_agg(l.step_id) filter (where l.tree)
    into strict v_run_ids, v_detailed_ids, v_tree_ids
    from locked as l;

    -- The keys before all else, and all of them (there are no more runs than rows): none may stand for a run that is
    -- hidden.
    v_left := v_left - tenure_private.purge_keys(v_run_ids, v_left);
    if v_tree_ids is not null then
        v_left := v_left - tenure_private.purge_trees(v_tree_ids, v_left);
    end if;
    v_left := v_left - tenure_private.purge_details(v_run_ids, v_left);
    with gone as materialized (
        select r.run_id
        from unnest(v_run_ids) as r (run_id)
        where not tenure_private.has_details(r.run_id)
            and (v_tree_ids is null or r.run_id <> all(v_tree_ids) or not tenure_private.has_tree(r.run_id))
        limit v_left
    )
    delete from tenure_private.step as s using gone as g where s.step_id = g.run_id;
    get diagnostics v_count = row_count;
    -- Whatever of these is still there may have lost something.
    update tenure_private.step as s set purging = true where s.step_id = any(v_detailed_ids) and not s.purging;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_runs(bigint[], int) is
'Removes finished runs with everything that belongs to them, at most p_max_rows rows of all tables; returns how many rows went.';
revoke all on function tenure_private.purge_runs(bigint[], int) from public;
