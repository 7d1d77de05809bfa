create or replace function tenure_private.complete_nodes(
    p_step_ids bigint[], p_outputs jsonb[], p_now timestamptz, p_owner text
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_done bigint [] := array[]::bigint [];
    v_outputs jsonb [] := array[]::jsonb [];
    v_outcome tenure_private.outcome;
begin
    for i in 1 .. cardinality(p_step_ids) loop
        select s.* into strict v_step from tenure_private.step as s where s.step_id = p_step_ids[i];
        if tenure_private.publish(v_step, p_outputs[i], true) then
            v_done := v_done || p_step_ids[i];
            v_outputs := v_outputs || array[p_outputs[i]];
        else
            v_outcome := tenure_private.consume_attempt(
                v_step, p_now, null, 'output_conflict', tenure_private.output_conflict(v_step), null
            );
            perform tenure_private.land_one(v_step, v_outcome, p_now, 'complete', p_owner);
            return query select v_step.step_id, v_outcome.verdict;
        end if;
    end loop;
    perform tenure_private.land(v_done, v_outputs, tenure_private.completion(), p_now, 'complete', p_owner);
    perform tenure_private.drop_staged(v_done);
    return query select u.step_id, 'completed' from unnest(v_done) as u (step_id);
end
$function$;
comment on function tenure_private.complete_nodes(bigint[], jsonb[], timestamptz, text) is
'Completes steps of which some publish keys: completed, or, where a key is there already, retrying or discarded.';
revoke all on function tenure_private.complete_nodes(bigint[], jsonb[], timestamptz, text) from public;
