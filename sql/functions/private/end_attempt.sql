create or replace function tenure_private.end_attempt(p_step tenure_private.step, p_kind text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.step_group as g
    set ending = 'group_ended',
        -- An outside commit in doubt stands before the limit, which comes later.
        error_kind = case when g.uncertain then g.error_kind else p_kind end,
        error = case when g.uncertain then g.error else tenure_private.passed_error(p_step, p_now, p_kind, null) end,
        final = g.final or p_kind = 'deadline'
    where g.step_id = p_step.step_id;
    -- Not again before the fold has had its chance.
    update tenure_private.step as s set alarm_at = p_now + interval '1 second' where s.step_id = p_step.step_id;
end
$function$;
comment on function tenure_private.end_attempt(tenure_private.step, text, timestamptz) is
'Says that a limit ends the present attempt of a group; the fold calls off what is open in it.';
revoke all on function tenure_private.end_attempt(tenure_private.step, text, timestamptz) from public;
