create or replace function tenure.complete(step_id bigint, owner text, generation bigint, output jsonb default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
begin
    perform tenure_private.check_size('output', tenure_private.document_size(complete.output));
    return tenure_private.settle_verdict(
        complete.step_id, complete.owner, complete.generation, complete.output, tenure_private.ask_for('complete')
    );
end
$function$;
comment on function tenure.complete(bigint, text, bigint, jsonb) is
'Ends a step with its output: completed; timed_out past its timeout or deadline; cancelled or stale when the lease is no longer the caller''s. In the caller''s transaction: its rows and the completion commit together or not at all.
Errors: TN005 owner, TN007 NULLs, TN008 output over 16 MB.';
revoke all on function tenure.complete(bigint, text, bigint, jsonb) from public;
grant execute on function tenure.complete(bigint, text, bigint, jsonb) to tenure_worker;
