create or replace function tenure.heartbeat(step_id bigint, owner text, generation bigint, progress jsonb default null)
returns tenure.heartbeat_verdict
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the step's row, waited for; nothing else.
declare
    v_verdict tenure.heartbeat_verdict;
begin
    perform tenure_private.check_pairs(array[heartbeat.step_id], heartbeat.owner, array[heartbeat.generation]);
    if tenure_private.document_size(heartbeat.progress) > 8192 then
        perform tenure_private.refuse(
            'too_large', 'progress is too large',
            format('It takes %s bytes; the limit is 8192.', tenure_private.document_size(heartbeat.progress)),
            'Keep larger states in a checkpoint or a table of your own.'
        );
    end if;
    perform
    from tenure_private.step as s
    where s.step_id = heartbeat.step_id
        and (
            not exists (select from tenure_private.queue_grant as g)
            or s.step_id <> all(tenure_private.hidden_steps(array[heartbeat.step_id]))
        )
    for no key update;
    if not found then
        v_verdict.verdict := 'lost';
        return v_verdict;
    end if;
    select r.verdict, r.lease_expiry, r.time_left into strict v_verdict
    from tenure_private.renew(
        array[heartbeat.step_id], heartbeat.owner, array[heartbeat.generation], heartbeat.progress
    ) as r;
    return v_verdict;
end
$function$;
comment on function tenure.heartbeat(bigint, text, bigint, jsonb) is
'Renews one lease by the ttl of its claim: renewed; or cancelled, timed_out, lost, and then the handler must stop. Beat every ttl/3. progress: JSON of at most 8 kB, kept on the step; SQL NULL is no progress, JSON null is.
Errors: TN005 owner, TN007 NULLs, TN008 progress.';
revoke all on function tenure.heartbeat(bigint, text, bigint, jsonb) from public;
grant execute on function tenure.heartbeat(bigint, text, bigint, jsonb) to tenure_worker;
