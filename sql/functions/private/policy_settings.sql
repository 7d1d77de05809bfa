create or replace function tenure_private.policy_settings(p_policy jsonb)
returns tenure_private.settings
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The everyday shape fits into the columns of a step: a deadline, a retry, a timeout of each attempt. All else is kept
-- as layers, of which the columns then tell the nearest limit and how many attempts there may be at most.
declare
    v_settings tenure_private.settings;
    v_outer text [];
    r_layer tenure_private.layer;
begin
    if p_policy = '[]' then
        return v_settings;
    end if;
    v_settings.max_attempts := 1;
    for r_layer in select l.* from tenure_private.policy_layers(p_policy) as l loop
        if r_layer.kind = 'retry' then
            v_settings.max_attempts := least(v_settings.max_attempts::bigint * r_layer.attempts, 2147483647)::int;
            v_settings.backoff := r_layer.backoff;
        elsif r_layer.entered_at is null then
            v_settings.timeout := r_layer.span;
            continue;
        else
            v_settings.bound := least(v_settings.bound, r_layer.span);
        end if;
        v_outer := v_outer || r_layer.kind;
    end loop;
    if v_outer in ('{retry}', '{deadline}', '{deadline, retry}') then
        v_settings.deadline := v_settings.bound;
        v_settings.bound := null;
    else
        v_settings.backoff := null;
        -- With one at least, an operator's retry has a counter to raise.
        v_settings.layers := p_policy || case
            when 'retry' = any(v_outer) then '[]' else jsonb '[{"retry": {"attempts": 1, "backoff": null}}]'
        end;
    end if;
    return v_settings;
end
$function$;
comment on function tenure_private.policy_settings(jsonb) is
'What a policy in its normal form means for the columns of a step: deadline, max_attempts, backoff and timeout where it has the everyday shape; else its layers, bound (the nearest limit, counted from where the step is made), max_attempts and timeout. NULLs for an empty policy.';
revoke all on function tenure_private.policy_settings(jsonb) from public;
