create or replace function tenure_private.pass_over(p_step_ids bigint[], p_reason text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    if p_step_ids <> '{}' then
        v_outcome.verdict := 'skipped';
        v_outcome.state := 'skipped';
        v_outcome.reason := p_reason;
        perform tenure_private.land(p_step_ids, null, v_outcome, p_now, null, null);
    end if;
end
$function$;
comment on function tenure_private.pass_over(bigint[], text, timestamptz) is 'Skips pending children.';
revoke all on function tenure_private.pass_over(bigint[], text, timestamptz) from public;
