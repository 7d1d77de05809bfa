create or replace function tenure_private.end_overdue(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Whoever folds looks at the limits first, as whoever reports for a leaf does: a group that is late cannot succeed
-- because no sweep has been there yet.
-- By arrays of ids: of a recursive query the planner may start at the wrong end, and read all history.
declare
    v_step tenure_private.step;
    v_level bigint [] := p_step_ids;
    v_above bigint [] := array[]::bigint [];
    v_group_ids bigint [] := array[]::bigint [];
begin
    loop
        v_level := array(
            select distinct s.parent_id
            from tenure_private.step as s
            where s.step_id = any(v_level) and s.parent_id is not null
        );
        exit when v_level = '{}';
        v_above := v_above || v_level;
    end loop;
    for v_step in
        select s.*
        from tenure_private.step as s
        where s.step_id = any(v_above) and s.state = 'waiting_steps'
            and (s.deadline_at <= p_now or s.started_at + s.timeout <= p_now)
            and exists (
                select from tenure_private.step_group as g where g.step_id = s.step_id and g.ending is null
            )
        order by s.step_id
    loop
        perform tenure_private.end_attempt(v_step, tenure_private.group_limit(v_step, p_now), p_now);
        v_group_ids := v_group_ids || v_step.step_id;
    end loop;
    return v_group_ids;
end
$function$;
comment on function tenure_private.end_overdue(bigint[], timestamptz) is
'Ends the attempts of the groups above these steps of which a limit has passed; returns these groups.';
revoke all on function tenure_private.end_overdue(bigint[], timestamptz) from public;
