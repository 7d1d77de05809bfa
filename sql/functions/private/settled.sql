create or replace function tenure_private.settled(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- The count spares looking at ten thousand children each time. It leaves out those started by handlers, is not kept
-- while children are being called off, and does not know which are blocked; elements of a map never are.
declare
    v_group_ids bigint [];
begin
    select coalesce(array_agg(g.step_id order by g.step_id), '{}') into strict v_group_ids
    from tenure_private.step_group as g
    join tenure_private.step as s on s.step_id = g.step_id and s.state = 'waiting_steps'
    cross join lateral (select g.ending is not null or (g.error_kind is not null and not g.maps) as looks) as l
    where g.step_id = any(p_group_ids) and not g.doomed and (g.open <= 0 or l.looks)
        and not exists (
            select
            from tenure_private.member as m
            join tenure_private.step as c on c.step_id = m.step_id and c.finished_at is null
            where m.group_id = g.step_id and m.attempt = s.attempt and (m.node_id = 0 or l.looks)
                and (g.ending is not null or c.reason is distinct from 'blocked')
        );
    return v_group_ids;
end
$function$;
comment on function tenure_private.settled(bigint[]) is 'Those of these groups that have no unfinished child, or none but blocked ones.';
revoke all on function tenure_private.settled(bigint[]) from public;
