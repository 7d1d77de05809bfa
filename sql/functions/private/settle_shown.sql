create or replace function tenure_private.settle_shown(
    p_step_ids bigint[],
    p_owner text,
    p_generations bigint[],
    p_outputs jsonb[],
    p_ask tenure_private.ask,
    p_hidden_ids bigint[]
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select u.step_id, 'stale' from unnest(p_step_ids) as u (step_id) where u.step_id = any(p_hidden_ids);
    return query
    with shown as materialized (
        select
            array_agg(u.step_id order by u.n) as step_ids,
            array_agg(u.generation order by u.n) as generations,
            array_agg(u.output order by u.n) as outputs
        from unnest(p_step_ids, p_generations, p_outputs) with ordinality as u (step_id, generation, output, n)
        where u.step_id <> all(p_hidden_ids)
    )
    select v.step_id, v.verdict
    from shown as s
    cross join lateral tenure_private.settle(s.step_ids, p_owner, s.generations, s.outputs, p_ask) as v
    where s.step_ids is not null;
end
$function$;
comment on function tenure_private.settle_shown(
    bigint[], text, bigint[], jsonb[], tenure_private.ask, bigint[]
) is 'settle() for a batch of which the caller may not use some: those are stale, like steps that are not there.';
revoke all on function tenure_private.settle_shown(
    bigint[], text, bigint[], jsonb[], tenure_private.ask, bigint[]
) from public;
