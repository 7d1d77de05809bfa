create or replace function tenure.stage(step_id bigint, owner text, generation bigint, key text, value jsonb)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the step's row, so that what is staged was staged under the lease.
declare
    v_step tenure_private.step;
    v_now timestamptz;
begin
    perform tenure_private.check_pairs(array[stage.step_id], stage.owner, array[stage.generation]);
    perform tenure_private.check_name(stage.key, 'key');
    perform tenure_private.check_size('output', tenure_private.document_size(stage.value));
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = stage.step_id and s.step_id <> all(tenure_private.hidden_steps(array[stage.step_id]))
    for no key update;
    v_now := tenure_private.clock();
    if v_step.state is distinct from 'running' or v_step.lease_owner <> stage.owner
        or v_step.lease_generation <> stage.generation
    then
        return case v_step.state when 'cancelled' then 'cancelled' else 'stale' end;
    elsif v_step.group_limit_at <= v_now then
        return 'cancelled';
    elsif tenure_private.limit_passed(
        v_now, v_step.deadline_at, v_step.started_at, v_step.timeout, v_step.progress_at,
        v_step.progress_timeout
    ) is not null then
        return 'timed_out';
    end if;
    perform tenure_private.check_provided(v_step, stage.key);
    insert into tenure_private.staged as s (step_id, key, value)
    values (stage.step_id, stage.key, coalesce(stage.value, 'null'))
    on conflict on constraint staged_pkey do update set value = excluded.value;
    return 'staged';
end
$function$;
comment on function tenure.stage(bigint, text, bigint, text, jsonb) is
'Stages a value for a key that the step''s node provides, in place of an earlier one: staged; timed_out past a limit; cancelled or stale when the lease is no longer the caller''s. It is seen by this attempt alone, kept over sleeps and signal waits, published with all others when the step completes or is skipped, and dropped when the attempt fails or is interrupted. NULL is JSON null.
Errors: TN005 owner or key, TN007 NULLs or a key that the step does not provide, TN008 value over 16 MB.';
revoke all on function tenure.stage(bigint, text, bigint, text, jsonb) from public;
grant execute on function tenure.stage(bigint, text, bigint, text, jsonb) to tenure_worker;
