create or replace function tenure_private.definition_policy(p_definition tenure_private.definition)
returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case
    when num_nonnulls(p_definition.deadline, p_definition.max_attempts, p_definition.timeout) = 0 then '[]'
    else case
            when p_definition.deadline is null then '[]'
            else jsonb_build_array(jsonb_build_object('deadline', extract(epoch from p_definition.deadline)))
        end
        || jsonb_build_array(jsonb_build_object('retry', jsonb_build_object(
            'attempts', coalesce(p_definition.max_attempts, 1), 'backoff', p_definition.backoff
        )))
        || case
            when p_definition.timeout is null then '[]'
            else jsonb_build_array(jsonb_build_object('timeout', extract(epoch from p_definition.timeout)))
        end
end;
$function$;
comment on function tenure_private.definition_policy(tenure_private.definition) is
'The values given to define_step as a policy in its normal form: a deadline, a retry, a timeout of each attempt; empty where none of them was given.';
revoke all on function tenure_private.definition_policy(tenure_private.definition) from public;
