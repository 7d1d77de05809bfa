create or replace function tenure_private.with_policy(
    p_settings tenure_private.settings, p_policy tenure_private.settings
)
returns tenure_private.settings
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_settings tenure_private.settings := p_settings;
begin
    v_settings.timeout := p_policy.timeout;
    v_settings.deadline := p_policy.deadline;
    v_settings.layers := p_policy.layers;
    v_settings.bound := p_policy.bound;
    if p_policy.max_attempts is not null then
        v_settings.max_attempts := p_policy.max_attempts;
        v_settings.backoff := p_policy.backoff;
    end if;
    return v_settings;
end
$function$;
comment on function tenure_private.with_policy(tenure_private.settings, tenure_private.settings) is
'Settings with what policy_settings() made of the layers around a child; where there is none its attempts stay as they are.';
revoke all on function tenure_private.with_policy(tenure_private.settings, tenure_private.settings) from public;
