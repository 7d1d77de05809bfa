create or replace function tenure_private.purge_details(p_run_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_left int := p_max_rows;
    v_count int;
begin
    v_left := v_left - tenure_private.purge_keys(p_run_ids, v_left);
    delete from tenure_private.attempt as d using (
        select a.step_id, a.generation from tenure_private.attempt as a where a.step_id = any(p_run_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.generation = g.generation;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.wait as d using (
        select w.step_id, w.key from tenure_private.wait as w where w.step_id = any(p_run_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.key = g.key;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.signal as d using (
        select s.run_id, s.signal, s.seq from tenure_private.signal as s where s.run_id = any(p_run_ids) limit v_left
    ) as g
    where d.run_id = g.run_id and d.signal = g.signal and d.seq = g.seq;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.checkpoint as d using (
        select c.step_id, c.key from tenure_private.checkpoint as c where c.step_id = any(p_run_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.key = g.key;
    get diagnostics v_count = row_count;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_details(bigint[], int) is
'Removes at most p_max_rows rows that belong to these runs from the tables around step; returns how many.';
revoke all on function tenure_private.purge_details(bigint[], int) from public;
