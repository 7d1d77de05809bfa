create or replace function tenure.complete_many(
    step_ids bigint[], owner text, generations bigint[], outputs jsonb[] default null
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
begin
    perform tenure_private.check_pairs(complete_many.step_ids, complete_many.owner, complete_many.generations);
    perform tenure_private.check_outputs(complete_many.outputs, cardinality(complete_many.step_ids));
    return query
    select v.step_id, v.verdict
    from tenure_private.settle(
        complete_many.step_ids, complete_many.owner, complete_many.generations, complete_many.outputs,
        tenure_private.ask_for('complete')
    ) as v;
end
$function$;
comment on function tenure.complete_many(bigint[], text, bigint[], jsonb[]) is
'complete for many leases of one owner: every row gets its own verdict, in no order; none of them raises.
Errors, for the call as a whole: TN005 owner, TN007 arrays that do not pair up, TN008 an output over 16 MB.';
revoke all on function tenure.complete_many(bigint[], text, bigint[], jsonb[]) from public;
grant execute on function tenure.complete_many(bigint[], text, bigint[], jsonb[]) to tenure_worker;
