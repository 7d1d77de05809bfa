create or replace function tenure.fail(
    step_id bigint,
    owner text,
    generation bigint,
    error jsonb,
    kind text default 'retryable',
    retry_after interval default null
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
    v_ask tenure_private.ask := tenure_private.ask_for('fail');
begin
    if fail.kind is null or fail.kind not in ('retryable', 'permanent', 'uncertain', 'timeout') then
        perform tenure_private.refuse(
            'argument_invalid', 'kind is unknown',
            format('Given: %s.', fail.kind), 'Give retryable, permanent, uncertain or timeout.'
        );
    end if;
    v_ask.kind := fail.kind;
    -- A timeout needs no error of the worker's; one that is given becomes the cause.
    if fail.error is not null or fail.kind <> 'timeout' then
        v_ask.error := tenure_private.storable_error(fail.error);
    end if;
    v_ask.retry_after := tenure_private.duration(fail.retry_after, 'retry_after');
    return tenure_private.settle_verdict(fail.step_id, fail.owner, fail.generation, null, v_ask);
end
$function$;
comment on function tenure.fail(bigint, text, bigint, jsonb, text, interval) is
'Ends an attempt with an error: retrying or discarded; timed_out when a limit had passed; cancelled or stale when the lease is no longer the caller''s.
kind: retryable; permanent: no further attempt; uncertain: an outside commit whose result is unknown, no further attempt; timeout: the worker stopped the handler at its limit. retry_after: instead of the backoff. An error over 64 kB is cut, never refused.
Errors: TN005 owner, TN006 retry_after, TN007 kind or NULLs.';
revoke all on function tenure.fail(bigint, text, bigint, jsonb, text, interval) from public;
grant execute on function tenure.fail(bigint, text, bigint, jsonb, text, interval) to tenure_worker;
