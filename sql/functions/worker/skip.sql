create or replace function tenure.skip(step_id bigint, owner text, generation bigint, reason text default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
declare
    v_ask tenure_private.ask := tenure_private.ask_for('skip');
begin
    v_ask.reason := left(skip.reason, 10000);
    return tenure_private.settle_verdict(skip.step_id, skip.owner, skip.generation, null, v_ask);
end
$function$;
comment on function tenure.skip(bigint, text, bigint, text) is
'Ends a step as not needed: skipped, or as complete answers.
Errors: TN005 owner, TN007 NULLs.';
revoke all on function tenure.skip(bigint, text, bigint, text) from public;
grant execute on function tenure.skip(bigint, text, bigint, text) to tenure_worker;
