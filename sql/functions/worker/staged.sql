create or replace function tenure.staged(step_id bigint, owner text, generation bigint, key text)
returns jsonb
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_step tenure_private.step;
    v_value jsonb;
begin
    perform tenure_private.check_pairs(array[staged.step_id], staged.owner, array[staged.generation]);
    perform tenure_private.check_name(staged.key, 'key');
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = staged.step_id and s.step_id <> all(tenure_private.hidden_steps(array[staged.step_id]));
    perform tenure_private.check_lease(v_step, staged.step_id, staged.owner, staged.generation);
    select s.value into v_value from tenure_private.staged as s where s.step_id = staged.step_id and s.key = staged.key;
    return v_value;
end
$function$;
comment on function tenure.staged(bigint, text, bigint, text) is
'What this attempt has staged for a key; NULL: nothing.
Errors: TN014 without the lease, TN005 owner or key, TN007 NULLs.';
revoke all on function tenure.staged(bigint, text, bigint, text) from public;
grant execute on function tenure.staged(bigint, text, bigint, text) to tenure_worker;
