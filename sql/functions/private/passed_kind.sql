create or replace function tenure_private.passed_kind(p_step tenure_private.step, p_now timestamptz)
returns text
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.deadline is not null then
        return 'deadline';
    end if;
    return coalesce((tenure_private.passed_layer(p_step.step_id, p_now)).kind, 'deadline');
end
$function$;
comment on function tenure_private.passed_kind(tenure_private.step, timestamptz) is
'What it is that has passed where deadline_at has: a deadline, or a layer of a deeper policy, which is a timeout as a rule.';
revoke all on function tenure_private.passed_kind(tenure_private.step, timestamptz) from public;
