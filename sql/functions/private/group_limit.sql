create or replace function tenure_private.group_limit(p_step tenure_private.step, p_now timestamptz)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
begin
    return case
        when p_step.deadline_at <= p_now then tenure_private.passed_kind(p_step, p_now)
        when p_step.state = 'waiting_steps' and p_step.started_at + p_step.timeout <= p_now then 'timeout'
    end;
end
$function$;
comment on function tenure_private.group_limit(tenure_private.step, timestamptz) is
'Which limit of an unfinished group has passed: deadline or timeout; NULL: none.';
revoke all on function tenure_private.group_limit(tenure_private.step, timestamptz) from public;
