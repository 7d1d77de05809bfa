create or replace function tenure_private.group_output(p_step tenure_private.step, p_group tenure_private.step_group)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_output jsonb;
begin
    if not p_group.maps then
        select case
            when w.outputs is not null then tenure_private.key_values(p_step.step_id, p_step.attempt, w.outputs)
            else coalesce((
                select jsonb_object_agg(p.key, p.value)
                from tenure_private.published as p
                where p.group_id = p_step.step_id and p.attempt = p_step.attempt
            ), '{}')
        end
        into strict v_output
        from tenure_private.workflow as w
        where w.workflow_id = p_group.workflow_id;
        return v_output;
    end if;
    select coalesce(jsonb_agg(s.output order by s.position), '[]') into strict v_output
    from tenure_private.member as m
    join tenure_private.step as s on s.step_id = m.step_id
    where m.group_id = p_step.step_id and m.attempt = p_step.attempt and s.position is not null;
    return v_output;
end
$function$;
comment on function tenure_private.group_output(tenure_private.step, tenure_private.step_group) is
'The output of a group whose children have ended: an object of those of its outputs that are there, by default of all that was published; of a map the outputs of its elements in their order.';
revoke all on function tenure_private.group_output(tenure_private.step, tenure_private.step_group) from public;
