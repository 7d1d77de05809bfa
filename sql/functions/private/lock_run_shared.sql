create or replace function tenure_private.lock_run_shared(p_step_ids bigint[])
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A plain step is its own run: the lock of its row, which the caller takes next, is its run's lock too.
declare
    v_roots bigint [];
begin
    select array_agg(distinct s.root_id order by s.root_id) into strict v_roots
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.parent_id is not null;
    if v_roots is not null then
        perform from tenure_private.step as r where r.step_id = any(v_roots) order by r.step_id for key share;
    end if;
    return v_roots is not null;
end
$function$;
comment on function tenure_private.lock_run_shared(bigint[]) is
'Takes the locks of the runs of these steps shared, in order of run: reports of leaves do not shut each other out. Whether any of them is a child.';
revoke all on function tenure_private.lock_run_shared(bigint[]) from public;
