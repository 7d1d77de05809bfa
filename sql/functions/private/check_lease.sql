create or replace function tenure_private.check_lease(
    p_step tenure_private.step, p_step_id bigint, p_owner text, p_generation bigint
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.state is distinct from 'running' or p_step.lease_owner <> p_owner
        or p_step.lease_generation <> p_generation
    then
        perform tenure_private.refuse(
            'stale', 'the lease is no longer the caller''s',
            format('Step %s is %s.', p_step_id, coalesce(p_step.state, 'unknown')),
            'Stop the handler: another execution may be running.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_lease(tenure_private.step, bigint, text, bigint) is
'Refuses (TN014) a call without the lease, where there is no verdict to answer; p_step: NULL where there is no such step.';
revoke all on function tenure_private.check_lease(tenure_private.step, bigint, text, bigint) from public;
