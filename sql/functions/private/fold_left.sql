create or replace function tenure_private.fold_left()
returns interval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The net under the workers, who ask for the fold after each report. Locks: the runs, tried; one that is locked counts
-- for nothing, and so hides no other.
declare
    v_folded int := 0;
    v_again interval;
    r_run record;
begin
    for r_run in
        select e.run_id, min(e.seq) as seq from tenure_private.event as e where not e.held group by e.run_id order by 2
    loop
        if v_folded = 100 then
            return interval '0';
        elsif tenure_private.lock_run(r_run.run_id, false) then
            perform tenure_private.fold_safely(r_run.run_id);
            v_folded := v_folded + 1;
        else
            v_again := interval '1 second';
        end if;
    end loop;
    return v_again;
end
$function$;
comment on function tenure_private.fold_left() is
'Folds what reports have left and nobody has asked for since, of a hundred runs at most. Returns when to come again: at once when there are more, soon when some were locked, NULL otherwise.';
revoke all on function tenure_private.fold_left() from public;
