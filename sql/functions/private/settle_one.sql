create or replace function tenure_private.settle_one(
    p_step tenure_private.step,
    p_owner text,
    p_generation bigint,
    p_now timestamptz,
    p_ask tenure_private.ask
)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome := tenure_private.decide(p_step, p_owner, p_generation, p_now, p_ask);
    -- By itself: what publishes must not stand in a condition with another, which may be NULL and leaves the order
    -- open.
    if v_outcome.state = 'skipped' then
        if not tenure_private.publish(p_step, null, false) then
            v_outcome := tenure_private.consume_attempt(
                p_step, p_now, null, 'output_conflict', tenure_private.output_conflict(p_step), null
            );
        end if;
    end if;
    if v_outcome.state is not null then
        perform tenure_private.land_one(p_step, v_outcome, p_now, p_ask.verb, p_owner);
    elsif p_step.state <> 'running' and p_step.lease_owner = p_owner and p_step.lease_generation = p_generation then
        -- The body of a step that was ended from outside has come back: nothing is in flight any more.
        update tenure_private.step as s set lease_owner = null, lease_expiry = null where s.step_id = p_step.step_id;
    end if;
    return v_outcome.verdict;
end
$function$;
comment on function tenure_private.settle_one(
    tenure_private.step, text, bigint, timestamptz, tenure_private.ask
) is 'settle() for one locked step that does not simply complete: its verdict.';
revoke all on function tenure_private.settle_one(
    tenure_private.step, text, bigint, timestamptz, tenure_private.ask
) from public;
