create or replace function tenure.checkpoint(
    step_id bigint, owner text, generation bigint, key text, value jsonb default null
)
returns jsonb
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the step's row, so that what is written was written under the lease.
declare
    v_step tenure_private.step;
    v_value jsonb;
begin
    perform tenure_private.check_pairs(array[checkpoint.step_id], checkpoint.owner, array[checkpoint.generation]);
    perform tenure_private.check_name(checkpoint.key, 'key');
    perform tenure_private.check_size('payload', tenure_private.document_size(checkpoint.value));
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = checkpoint.step_id and s.step_id <> all(tenure_private.hidden_steps(array[checkpoint.step_id]))
    for no key update;
    perform tenure_private.check_lease(v_step, checkpoint.step_id, checkpoint.owner, checkpoint.generation);
    if checkpoint.value is not null then
        insert into tenure_private.checkpoint (step_id, key, value, created_at)
        values (checkpoint.step_id, checkpoint.key, checkpoint.value, tenure_private.clock())
        on conflict on constraint checkpoint_pkey do nothing;
    end if;
    select c.value into v_value
    from tenure_private.checkpoint as c
    where c.step_id = checkpoint.step_id and c.key = checkpoint.key;
    return v_value;
end
$function$;
comment on function tenure.checkpoint(bigint, text, bigint, text, jsonb) is
'Notes a value under a key of the step and returns what stands there: the first write wins and survives attempts. SQL NULL only reads; NULL comes back where nothing was noted.
Errors: TN014 without the lease, TN005 owner or key, TN007 NULLs, TN008 value over 1 MB.';
revoke all on function tenure.checkpoint(bigint, text, bigint, text, jsonb) from public;
grant execute on function tenure.checkpoint(bigint, text, bigint, text, jsonb) to tenure_worker;
