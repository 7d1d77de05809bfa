create or replace function tenure.sweep(max_steps int default 100)
returns tenure.sweep_report
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: for each step its run's, then its own, both tried: a locked run is passed over and hides no other.
declare
    v_report tenure.sweep_report;
    v_again interval;
begin
    perform tenure_private.check_max_steps(sweep.max_steps);
    perform tenure_private.watch_clock();
    perform tenure_private.do_chore('fold_behind', tenure_private.clock());
    v_again := tenure_private.fold_left();
    v_report := tenure_private.ring(sweep.max_steps);
    v_report.next_due_in := least(v_report.next_due_in, v_again);
    perform tenure_private.keep_house();
    return v_report;
end
$function$;
comment on function tenure.sweep(int) is
'Moves on up to max_steps (1 to 1000) steps whose lease, limit, timer or signal wait has ended, and clears away runs past their queue''s retention. Any number of sweepers at a time are correct. next_due_in 0: call again at once; NULL: nothing is to come.
Errors: TN007 max_steps.';
revoke all on function tenure.sweep(int) from public;
grant execute on function tenure.sweep(int) to tenure_worker, tenure_operator;
