create or replace function tenure_private.fold_left()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The net under the workers, who ask for the fold after each report. Locks: the runs, tried.
declare
    r_run record;
begin
    for r_run in
        select e.run_id, min(e.seq) as seq from tenure_private.event as e where not e.held group by e.run_id order by 2 limit 100
    loop
        if tenure_private.lock_run(r_run.run_id, false) then
            perform tenure_private.fold_safely(r_run.run_id);
        end if;
    end loop;
end
$function$;
comment on function tenure_private.fold_left() is 'Folds what reports have left and nobody has asked for since.';
revoke all on function tenure_private.fold_left() from public;
