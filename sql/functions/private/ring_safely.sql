create or replace function tenure_private.ring_safely(p_step_id bigint, p_root_id bigint)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return tenure_private.ring_one(p_step_id, p_root_id);
exception when others then
    -- One step's error stays its own, and does not come up again in every pass.
    raise warning using
        message = format('the sweep could not move step %s: %s', p_step_id, sqlerrm), errcode = sqlstate;
    update tenure_private.step as s
    set alarm_at = tenure_private.clock() + interval '1 minute'
    where s.step_id in (
        select l.step_id from tenure_private.step as l where l.step_id = p_step_id for no key update skip locked
    );
    return 'nothing';
end
$function$;
comment on function tenure_private.ring_safely(bigint, bigint) is 'ring_one() for one item of a sweep: an error is a warning, and the step is looked at again in a minute.';
revoke all on function tenure_private.ring_safely(bigint, bigint) from public;
