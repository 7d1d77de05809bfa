create or replace function tenure_private.check_backoff(p_backoff jsonb)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_kind constant text = coalesce(p_backoff ->> 'kind', 'exponential');
    v_problem text;
begin
    v_problem := case
        when jsonb_typeof(p_backoff) <> 'object' then 'It is no object.'
        when p_backoff - array['kind', 'base', 'factor', 'cap', 'jitter'] <> '{}' then
            'It has an unknown member: ' || (p_backoff - array['kind', 'base', 'factor', 'cap', 'jitter'])::text
        when v_kind not in ('exponential', 'fixed', 'linear') then format('Unknown kind %s.', v_kind)
        when exists (
            select from jsonb_each(p_backoff) as m where m.key <> 'kind' and jsonb_typeof(m.value) <> 'number'
        ) then 'base, factor, cap and jitter are numbers.'
        -- Compared as numeric: a jsonb number may be too large for a double.
        when coalesce((p_backoff ->> 'base')::numeric, 1) not between 0 and 3155760000 then 'base is out of range.'
        when coalesce((p_backoff ->> 'base')::numeric, 1) < 0.000001 and v_kind <> 'fixed' then
            'base 0 would retry without any delay; only kind fixed may have it.'
        when coalesce((p_backoff ->> 'factor')::numeric, 2) not between 1 and 1000 then
            'factor is not between 1 and 1000.'
        when coalesce((p_backoff ->> 'cap')::numeric, 3600) not between 0.001 and 3155760000 then 'cap is out of range.'
        when coalesce((p_backoff ->> 'jitter')::numeric, 0.2) not between 0 and 1 then 'jitter is not between 0 and 1.'
    end;
    if v_problem is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'backoff is malformed', v_problem,
            'Example: {"kind": "exponential", "base": 1, "factor": 2, "cap": 3600, "jitter": 0.2}; seconds; kinds exponential, linear, fixed.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_backoff(jsonb) is 'Refuses (TN007) a backoff that backoff() could not follow.';
revoke all on function tenure_private.check_backoff(jsonb) from public;
