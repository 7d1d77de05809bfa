create or replace function tenure_private.parse_seconds(p_duration jsonb, p_name text)
returns numeric
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_duration interval;
begin
    if jsonb_typeof(p_duration) not in ('string', 'number') then
        perform tenure_private.refuse(
            'argument_invalid', 'a policy has a duration of the wrong type',
            format('%s: %s.', p_name, left(p_duration::text, 200)),
            'Give it as text such as "2 s", or as a number of seconds.'
        );
    end if;
    begin
        v_duration := (
            (p_duration #>> '{}') || case jsonb_typeof(p_duration) when 'number' then ' seconds' else '' end
        )::interval;
    exception when data_exception then
        perform tenure_private.refuse(
            'argument_invalid', 'a policy has a duration that cannot be read',
            format('%s: %s.', p_name, left(p_duration::text, 200)),
            'Give it as text such as "2 s", or as a number of seconds.'
        );
    end;
    return extract(epoch from tenure_private.duration(v_duration, p_name));
end
$function$;
comment on function tenure_private.parse_seconds(jsonb, text) is
'A duration of a policy, text or a number of seconds, as seconds. Refuses (TN006, TN007) what is none.';
revoke all on function tenure_private.parse_seconds(jsonb, text) from public;
