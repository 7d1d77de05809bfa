create or replace function tenure_private.complete_at_once(
    p_step_ids bigint[], p_owner text, p_generations bigint[], p_outputs jsonb[]
)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Nothing but completions in time, in order of step_id: decided without a sort or a join, which would cost a twelfth
-- of claim and completion.
-- Locks: the steps by id; the clock is read after that.
declare
    v_step_ids bigint[];
    v_generations bigint[];
    v_held boolean;
    v_limit timestamptz;
    v_now timestamptz;
begin
    select array_agg(l.step_id), array_agg(l.lease_generation), bool_and(l.held), min(l.nearest_limit)
    into strict v_step_ids, v_generations, v_held, v_limit
    from (
        select
            s.step_id, s.lease_generation, s.state = 'running' and s.lease_owner = p_owner and not s.tree as held,
            tenure_private.nearest_limit(
                least(s.deadline_at, s.group_limit_at), s.started_at, s.timeout, s.progress_at, s.progress_timeout
            ) as nearest_limit
        from tenure_private.step as s
        where s.step_id = any(p_step_ids)
        order by s.step_id
        for no key update
    ) as l;
    v_now := tenure_private.clock();
    if v_held and v_step_ids = p_step_ids and v_generations = p_generations and v_now < v_limit is not false then
        perform tenure_private.land(p_step_ids, p_outputs, tenure_private.completion(), v_now, 'complete', p_owner);
        return true;
    end if;
    return false;
end
$function$;
comment on function tenure_private.complete_at_once(bigint[], text, bigint[], jsonb[]) is
'Completes a batch that is in order, under lease and in time throughout; false: nothing was done, and settle() decides step by step under the locks taken here.';
revoke all on function tenure_private.complete_at_once(bigint[], text, bigint[], jsonb[]) from public;
