create or replace function tenure.wait_signal(
    step_id bigint, owner text, generation bigint, signal text, timeout interval default null, key text default null
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
    v_ask tenure_private.ask := tenure_private.ask_for('wait_signal');
begin
    perform tenure_private.check_name(wait_signal.signal, 'signal');
    if wait_signal.key is not null then
        perform tenure_private.check_name(wait_signal.key, 'key');
    end if;
    v_ask.signal := wait_signal.signal;
    v_ask.pause := tenure_private.duration(wait_signal.timeout, 'timeout');
    v_ask.wait_key := wait_signal.key;
    return tenure_private.settle_verdict(wait_signal.step_id, wait_signal.owner, wait_signal.generation, null, v_ask);
end
$function$;
comment on function tenure.wait_signal(bigint, text, bigint, text, interval, text) is
'Ends the execution until the run gets the signal or the timeout has passed (NULL: never); the handler is then called again, same attempt: waiting, or as complete answers. A signal kept earlier makes the step available at once. key: as for sleep; default signal:NAME:N.
Errors: TN005 owner, signal or key, TN006 timeout, TN007 NULLs.';
revoke all on function tenure.wait_signal(bigint, text, bigint, text, interval, text) from public;
grant execute on function tenure.wait_signal(bigint, text, bigint, text, interval, text) to tenure_worker;
