create or replace function tenure_private.check_provided(p_step tenure_private.step, p_key text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.position is not null or not exists (
        select from tenure_private.node as n where n.node_id = p_step.node_id and p_key = any(n.provides)
    ) then
        perform tenure_private.refuse(
            'argument_invalid', 'the step does not provide this key', format('Step %s, key %s.', p_step.step_id, p_key),
            'Name it under provides of the node. Plain jobs have no keys, and of the elements of a map the outputs are gathered.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_provided(tenure_private.step, text) is 'Refuses (TN007) a key that a step may not publish.';
revoke all on function tenure_private.check_provided(tenure_private.step, text) from public;
