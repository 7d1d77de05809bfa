create or replace function tenure_private.expire_lease(step_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    update tenure_private.step as s
    set lease_expiry = v_now - interval '1 microsecond', alarm_at = v_now
    where s.step_id = expire_lease.step_id and s.state = 'running';
    if not found then
        perform tenure_private.refuse(
            'step_not_found', 'there is no such running step',
            format('Step %s.', expire_lease.step_id), 'Claim it first.'
        );
    end if;
end
$function$;
comment on function tenure_private.expire_lease(bigint) is
'For tests: lets the lease of a running step be over, as if its worker had died a ttl ago. The owner''s alone.';
revoke all on function tenure_private.expire_lease(bigint) from public;
