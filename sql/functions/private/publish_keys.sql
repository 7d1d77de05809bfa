create or replace function tenure_private.publish_keys(p_step tenure_private.step, p_values jsonb)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- No key has two producers, so there is nobody to race with: only the group's input can have it already.
begin
    if exists (
        select
        from jsonb_object_keys(p_values) as k (key)
        join tenure_private.step as g on g.step_id = p_step.parent_id
        where (jsonb_typeof(g.input) = 'object' and g.input ? k.key)
            or exists (
                select from tenure_private.published as p
                where p.group_id = g.step_id and p.attempt = p_step.group_attempt and p.key = k.key
            )
    ) then
        return false;
    end if;
    insert into tenure_private.published (group_id, attempt, key, value, step_id)
    select p_step.parent_id, p_step.group_attempt, v.key, v.value, p_step.step_id from jsonb_each(p_values) as v;
    return true;
end
$function$;
comment on function tenure_private.publish_keys(tenure_private.step, jsonb) is
'Publishes all of these keys among the siblings of a step; false: one of them is there already, and none was published.';
revoke all on function tenure_private.publish_keys(tenure_private.step, jsonb) from public;
