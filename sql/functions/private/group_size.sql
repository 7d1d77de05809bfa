create or replace function tenure_private.group_size(p_step tenure_private.step, p_group tenure_private.step_group)
returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as key_values().
declare
    v_bytes bigint;
begin
    if p_group.maps then
        select sum(tenure_private.document_size(s.output)) into strict v_bytes
        from tenure_private.member as m
        join tenure_private.step as s on s.step_id = m.step_id
        where m.group_id = p_step.step_id and m.attempt = p_step.attempt;
        return coalesce(v_bytes, 0);
    end if;
    return tenure_private.keys_size(p_step.step_id, p_step.attempt, (
        select coalesce(w.outputs, array(
            select p.key from tenure_private.published as p
            where p.group_id = p_step.step_id and p.attempt = p_step.attempt
        ))
        from tenure_private.workflow as w
        where w.workflow_id = p_group.workflow_id
    ));
end
$function$;
comment on function tenure_private.group_size(tenure_private.step, tenure_private.step_group) is
'How many bytes the parts of a group''s output take together.';
revoke all on function tenure_private.group_size(tenure_private.step, tenure_private.step_group) from public;
