create or replace function tenure.sleep(
    step_id bigint, owner text, generation bigint, duration interval, key text default null
)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
declare
    v_ask tenure_private.ask := tenure_private.ask_for('sleep');
begin
    if sleep.duration is null then
        perform tenure_private.refuse(
            'duration_invalid', 'duration must not be null', 'duration is NULL.', 'Give how long to sleep.'
        );
    elsif sleep.key is not null then
        perform tenure_private.check_name(sleep.key, 'key');
    end if;
    v_ask.pause := tenure_private.duration(sleep.duration, 'duration');
    v_ask.wait_key := sleep.key;
    return tenure_private.settle_verdict(sleep.step_id, sleep.owner, sleep.generation, null, v_ask);
end
$function$;
comment on function tenure.sleep(bigint, text, bigint, interval, text) is
'Ends the execution until the time has passed; the handler is then called again, same attempt: sleeping, or as complete answers. key: under which claimed.waits tells that it has ended; default sleep:N. A key that has ended already makes the step available at once.
Errors: TN005 owner or key, TN006 duration, TN007 NULLs.';
revoke all on function tenure.sleep(bigint, text, bigint, interval, text) from public;
grant execute on function tenure.sleep(bigint, text, bigint, interval, text) to tenure_worker;
