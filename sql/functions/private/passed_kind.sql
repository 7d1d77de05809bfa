create or replace function tenure_private.passed_kind(p_step tenure_private.step, p_now timestamptz, p_passed text)
returns text
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_passed = 'deadline' and p_step.deadline is null then
        return coalesce((tenure_private.passed_layer(p_step.step_id, p_now)).kind, p_passed);
    end if;
    return p_passed;
end
$function$;
comment on function tenure_private.passed_kind(tenure_private.step, timestamptz, text) is
'What limit_passed() found, told apart: what stands in deadline_at may be a layer''s limit, and is a timeout then.';
revoke all on function tenure_private.passed_kind(tenure_private.step, timestamptz, text) from public;
