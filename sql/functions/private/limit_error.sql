create or replace function tenure_private.limit_error(
    p_step tenure_private.step, p_name text, p_kind text, p_cause jsonb
)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- Durations as numbers of seconds: their text would hang on the session's IntervalStyle.
declare
    v_limit constant interval = case p_kind
        when 'timeout' then p_step.timeout
        when 'progress' then p_step.progress_timeout
        when 'start_within' then p_step.start_within
        when 'deadline' then p_step.deadline
    end;
    v_layer constant text = case p_kind when 'progress' then 'progress_timeout' else p_kind end;
    v_cause constant jsonb = coalesce(p_cause, case when p_kind = 'deadline' then p_step.error end);
begin
    return jsonb_strip_nulls(jsonb_build_object(
        'type', case p_kind when 'reclaim_limit' then 'ReclaimLimit' else 'LimitPassed' end,
        'kind', p_kind,
        'message', case p_kind
            when 'reclaim_limit' then format('the lease of step %s expired after %s reclaims', p_name, p_step.reclaims)
            when 'start_within' then format('step %s was not started in time', p_name)
            else format('step %s passed its %s', p_name, v_layer)
        end,
        'step', p_name,
        'limit', extract(epoch from v_limit),
        'layer', case when v_limit is not null then v_layer end
    )) || case when v_cause is null then '{}' else jsonb_build_object('cause', v_cause) end;
end
$function$;
comment on function tenure_private.limit_error(tenure_private.step, text, text, jsonb) is
'The error document of a step that ran into a limit: {"type", "kind", "message", "step", "limit" in seconds, "layer"}, under "cause" the error that the worker reported or, for a deadline, that of the last attempt.';
revoke all on function tenure_private.limit_error(tenure_private.step, text, text, jsonb) from public;
