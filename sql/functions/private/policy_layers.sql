create or replace function tenure_private.policy_layers(p_policy jsonb)
returns setof tenure_private.layer
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The innermost timeout counts from the claim where a retry is directly around it: it is never entered.
begin
    return query
    select
        null::bigint, e.n::int, k.kind,
        case when k.kind <> 'retry' then ((e.layer ->> k.kind) || ' seconds')::interval end,
        (e.layer #>> '{retry, attempts}')::int, nullif(e.layer #> '{retry, backoff}', 'null'),
        case k.kind when 'retry' then 1 end,
        case
            when k.kind = 'timeout' and e.n > 1 and e.n = jsonb_array_length(p_policy)
                and p_policy -> -2 ? 'retry' then null
            when k.kind <> 'retry' then timestamptz '-infinity'
        end
    from jsonb_array_elements(p_policy) with ordinality as e (layer, n)
    cross join lateral (
        select
            case when e.layer ? 'retry' then 'retry' when e.layer ? 'timeout' then 'timeout' else 'deadline' end as kind
    ) as k
    order by e.n;
end
$function$;
comment on function tenure_private.policy_layers(jsonb) is
'The layers of a policy in its normal form, outermost first, before any step has entered them: those that count from where they are entered have -infinity there.';
revoke all on function tenure_private.policy_layers(jsonb) from public;
