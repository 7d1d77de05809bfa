create or replace function tenure.fold(run_ids bigint[])
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set lock_timeout = '200ms'
as $function$
-- Locks: the runs' rows, by id, each waited for no longer than a fifth of a second.
declare
    v_busy int := 0;
    r_run record;
begin
    if fold.run_ids is null or array_ndims(fold.run_ids) > 1 or array_position(fold.run_ids, null) is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'run_ids is no array of ids',
            format('Given: %s.', fold.run_ids), 'Give the run_id of claimed steps.'
        );
    end if;
    for r_run in
        select distinct e.run_id
        from tenure_private.event as e
        where e.run_id = any(fold.run_ids) and not e.held
        order by e.run_id
    loop
        begin
            perform from tenure_private.step as r
            where r.step_id = r_run.run_id and r.state <> 'paused'
            for no key update;
            if found then
                perform tenure_private.fold_run(r_run.run_id, '{}');
            end if;
        exception when lock_not_available then
            v_busy := v_busy + 1;
        end;
    end loop;
    return v_busy;
end
$function$;
comment on function tenure.fold(bigint[]) is
'Does for these runs what the reports of their children have left to do because another was at it: dependents and groups move on. To be called right after the commit of reports of children (claimed.run_id <> step_id); costs next to nothing where nothing was left. Returns how many of the runs were busy: call again, or leave it to the sweep.
Errors: TN007 NULLs, an array of several dimensions.';
revoke all on function tenure.fold(bigint[]) from public;
grant execute on function tenure.fold(bigint[]) to tenure_worker, tenure_operator;
