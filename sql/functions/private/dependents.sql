create or replace function tenure_private.dependents(p_step_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
declare
    v_step_ids bigint [];
begin
    select coalesce(array_agg(distinct c.step_id order by c.step_id), '{}') into strict v_step_ids
    from tenure_private.step as e
    join tenure_private.need as w on w.producer_id = e.node_id
    join tenure_private.member as m
        on m.group_id = e.parent_id and m.attempt = e.group_attempt and m.node_id = w.node_id
    join tenure_private.step as c on c.step_id = m.step_id and c.state = 'pending'
    where e.step_id = any(p_step_ids) and e.position is null and (e.finished_at is not null or e.reason = 'blocked');
    return v_step_ids;
end
$function$;
comment on function tenure_private.dependents(bigint[]) is 'The pending siblings that need a key of one of these steps, which are over or blocked.';
revoke all on function tenure_private.dependents(bigint[]) from public;
