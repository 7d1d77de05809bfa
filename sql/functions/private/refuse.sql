create or replace function tenure_private.refuse(p_kind text, p_message text, p_detail text, p_hint text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: were it immutable, the planner might raise the error of a call that is never made.
-- The one table of error codes. A kind that is not in it is a defect of the caller and says so.
declare
    v_code constant text = case p_kind
        when 'step_not_found' then 'TN001'
        when 'not_a_run' then 'TN002'
        when 'queue_unknown' then 'TN003'
        when 'queue_differs' then 'TN004'
        when 'name_invalid' then 'TN005'
        when 'duration_invalid' then 'TN006'
        when 'argument_invalid' then 'TN007'
        when 'too_large' then 'TN008'
        when 'timeout_out_of_bounds' then 'TN009'
        when 'invalid_transition' then 'TN010'
        when 'not_finished' then 'TN011'
        when 'run_discarded' then 'TN012'
        when 'run_cancelled' then 'TN013'
        when 'stale' then 'TN014'
        when 'quota_unknown' then 'TN015'
        when 'isolation_level' then 'TN016'
        when 'run_purging' then 'TN017'
        when 'queue_not_granted' then 'TN018'
        when 'role_unknown' then 'TN019'
        when 'workflow_unknown' then 'TN030'
        when 'workflow_invalid' then 'TN031'
    end;
begin
    raise exception using
        errcode = coalesce(v_code, 'XX000'),
        message = p_message,
        detail = coalesce(p_detail, ''),
        hint = coalesce(p_hint, '');
end
$function$;
comment on function tenure_private.refuse(text, text, text, text) is
'Raises the error of one kind: message constant enough to group on, detail the values, hint what to do.';
revoke all on function tenure_private.refuse(text, text, text, text) from public;
