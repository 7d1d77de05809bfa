create or replace function tenure_private.fold_run(p_run_id bigint, p_ended bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- The caller holds the run's row FOR NO KEY UPDATE or stronger: one fold at a time, and no call that changes the run's
-- structure. Reports of its leaves go on, so their rows are only tried. In rounds: what ended in one is what the
-- groups around it hear in the next.
-- Children are looked up by their ids: a map's ten thousand in the statistics must not make the planner read the table.
declare
    v_now constant timestamptz = tenure_private.clock();
    v_ended bigint [] := p_ended || tenure_private.take_events(p_run_id);
    v_groups bigint [];
    v_next bigint [];
begin
    perform tenure_private.call_off_orphans(p_run_id, v_ended, v_now);
    v_ended := v_ended || tenure_private.end_overdue(v_ended, v_now);
    while v_ended <> '{}' loop
        v_groups := tenure_private.count_ends(v_ended);
        perform tenure_private.call_off_ending(v_groups, v_now);
        v_next := tenure_private.advance(tenure_private.dependents(v_ended), v_now);
        v_ended := v_next || tenure_private.conclude(tenure_private.settled(v_groups), v_now);
    end loop;
end
$function$;
comment on function tenure_private.fold_run(bigint, bigint[]) is
'What follows from the ends of children, these and those noted earlier: dependents and groups move on, up to the run.';
revoke all on function tenure_private.fold_run(bigint, bigint[]) from public;
