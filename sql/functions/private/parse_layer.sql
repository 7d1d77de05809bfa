create or replace function tenure_private.parse_layer(p_layer jsonb)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_retry constant jsonb = p_layer -> 'retry';
    v_backoff jsonb;
    v_problem text;
begin
    v_problem := case
        when jsonb_typeof(p_layer) <> 'object' then 'It is no object.'
        when not p_layer ? 'timeout' and not p_layer ? 'retry' then 'It is neither a timeout nor a retry.'
        when p_layer - 'timeout' <> '{}' and p_layer - 'retry' <> '{}' then 'It has further members.'
        when v_retry is null then null
        when jsonb_typeof(v_retry) <> 'object' then 'retry is no object.'
        when v_retry - array['attempts', 'delay', 'backoff'] <> '{}' then 'retry has an unknown member.'
        when v_retry ? 'delay' and v_retry ? 'backoff' then 'retry has a delay and a backoff.'
        when jsonb_typeof(v_retry -> 'attempts') is distinct from 'number' then 'attempts is no number.'
        when (v_retry ->> 'attempts')::numeric % 1 <> 0 then 'attempts is no whole number.'
        when (v_retry ->> 'attempts')::numeric > 2147483647 then 'attempts is out of range.'
    end;
    if v_problem is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'a policy has a malformed layer',
            format('%s Given: %s.', v_problem, left(p_layer::text, 200)),
            'Give {"timeout": "2 s"} or {"retry": {"attempts": 3, "delay": "100 ms"}}; instead of delay, backoff as of tenure.enqueue.'
        );
    elsif v_retry is null then
        return jsonb_build_object('timeout', tenure_private.parse_seconds(p_layer -> 'timeout', 'timeout'));
    elsif v_retry ? 'backoff' then
        v_backoff := v_retry -> 'backoff';
        perform tenure_private.check_backoff(v_backoff);
    else
        v_backoff := jsonb_build_object(
            'kind', 'fixed',
            'base', tenure_private.parse_seconds(coalesce(v_retry -> 'delay', '0'), 'delay'),
            'jitter', 0
        );
    end if;
    return jsonb_build_object('retry', jsonb_build_object(
        'attempts', greatest((v_retry ->> 'attempts')::numeric, 1)::int, 'backoff', v_backoff
    ));
end
$function$;
comment on function tenure_private.parse_layer(jsonb) is
'A layer in its normal form: {"timeout": seconds} or {"retry": {"attempts", "backoff"}}, at least one attempt and without a delay none.';
revoke all on function tenure_private.parse_layer(jsonb) from public;
