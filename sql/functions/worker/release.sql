create or replace function tenure.release(step_id bigint, owner text, generation bigint)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
begin
    return tenure_private.settle_verdict(
        release.step_id, release.owner, release.generation, null, tenure_private.ask_for('release')
    );
end
$function$;
comment on function tenure.release(bigint, text, bigint) is
'Hands a step back unfinished, due at once, the attempt not consumed: released, or as complete answers.
Errors: TN005 owner, TN007 NULLs.';
revoke all on function tenure.release(bigint, text, bigint) from public;
grant execute on function tenure.release(bigint, text, bigint) to tenure_worker;
