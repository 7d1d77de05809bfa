create or replace function tenure_private.recount(p_group_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the run exclusively, and has folded what was noted.
declare
    v_pending constant bigint [] = tenure_private.pending_in(p_group_ids);
begin
    update tenure_private.step as s
    set reason = null
    where s.step_id = any(v_pending) and s.reason = 'blocked';
    update tenure_private.step_group as g
    set open = c.open,
        done = c.done,
        ending = null,
        doomed = false,
        final = false,
        uncertain = c.uncertain,
        error_kind = f.error_kind,
        error = f.error
    from tenure_private.step as s
    cross join lateral (
        select
            count(*) filter (where c.finished_at is null and m.node_id <> 0) as open,
            count(*) filter (where c.state = 'completed') as done,
            coalesce(bool_or(c.state = 'discarded' and (c.error_kind = 'uncertain' or w.uncertain)), false) as uncertain
        from tenure_private.member as m
        join tenure_private.step as c on c.step_id = m.step_id
        left join tenure_private.step_group as w on w.step_id = c.step_id
        where m.group_id = s.step_id and m.attempt = s.attempt
    ) as c
    left join lateral (
        select c.error_kind, c.error
        from tenure_private.member as m
        join tenure_private.step as c on c.step_id = m.step_id and c.state = 'discarded'
        where m.group_id = s.step_id and m.attempt = s.attempt
        order by c.finished_at, c.step_id
        limit 1
    ) as f on true
    where g.step_id = any(p_group_ids) and s.step_id = g.step_id;
end
$function$;
comment on function tenure_private.recount(bigint[]) is 'Sets the counts and the first error of groups anew, from their children; none is blocked any more until advance() has looked.';
revoke all on function tenure_private.recount(bigint[]) from public;
