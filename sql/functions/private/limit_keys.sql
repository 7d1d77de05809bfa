create or replace function tenure_private.limit_keys(p_step_ids bigint[], p_now timestamptz, p_period interval)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.idempotency as i set expires_at = p_now + p_period where i.step_id = any(p_step_ids);
end
$function$;
comment on function tenure_private.limit_keys(bigint[], timestamptz, interval) is
'Lets the keys of these new steps stand for them no longer than idempotency_period; NULL: as long as the row lives.';
revoke all on function tenure_private.limit_keys(bigint[], timestamptz, interval) from public;
