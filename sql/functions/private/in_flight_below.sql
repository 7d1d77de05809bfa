create or replace function tenure_private.in_flight_below(p_run_id bigint)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    return exists (
        select from tenure_private.step as s
        where s.root_id = p_run_id and s.parent_id is not null and s.lease_expiry >= v_now
    );
end
$function$;
comment on function tenure_private.in_flight_below(bigint) is 'Whether a child of a run has an unexpired lease: its body may still run.';
revoke all on function tenure_private.in_flight_below(bigint) from public;
