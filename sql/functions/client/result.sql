create or replace function tenure.result(run_id bigint)
returns jsonb
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_run tenure_private.step;
begin
    v_run := tenure_private.find_run(result.run_id);
    case v_run.state
        when 'completed' then
            return v_run.output;
        when 'skipped' then
            return null;
        when 'discarded' then
            perform tenure_private.refuse(
                'run_discarded',
                'the run was discarded' || case
                    when v_run.error_kind = 'retryable' then ' after its last attempt'
                    else ': ' || v_run.error_kind
                end,
                left(v_run.error::text, 10000),
                'Mend the cause, then: select tenure.retry(step_id).'
            );
        when 'cancelled' then
            perform tenure_private.refuse(
                'run_cancelled', 'the run was cancelled',
                coalesce(v_run.reason, 'No reason was given.'), 'Enqueue it anew if it is still wanted.'
            );
        else
            perform tenure_private.refuse(
                'not_finished', 'the run has not ended', format('Run %s is %s.', v_run.step_id, v_run.state),
                'Wait until its state is completed.'
            );
    end case;
    return null;
end
$function$;
comment on function tenure.result(bigint) is
'The output of a completed run; NULL when it was skipped or returned nothing.
Errors: TN011 not ended, TN012 discarded (DETAIL: the error), TN013 cancelled (DETAIL: the reason), TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.result(bigint) from public;
grant execute on function tenure.result(bigint) to tenure_client, tenure_operator;
