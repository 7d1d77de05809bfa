create or replace function tenure_private.key_state(
    p_group_id bigint, p_attempt int, p_node_id int, p_on_failure text, out missing boolean, out settled boolean
)
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: a fold asks for what it has just written.
declare
    v_input jsonb;
begin
    select case when jsonb_typeof(s.input) = 'object' then s.input else '{}' end into strict v_input
    from tenure_private.step as s where s.step_id = p_group_id;
    select
        coalesce(bool_or(k.gone and not k.there and not k.optional), false),
        coalesce(bool_and(k.gone or k.there), true)
    into strict missing, settled
    from (
        select
            w.optional,
            v_input ? w.key or exists (
                select from tenure_private.published as p
                where p.group_id = p_group_id and p.attempt = p_attempt and p.key = w.key
            ) as there,
            w.producer_id is null or exists (
                select
                from tenure_private.member as m
                join tenure_private.step as s on s.step_id = m.step_id
                where m.group_id = p_group_id and m.attempt = p_attempt and m.node_id = w.producer_id
                    and (s.state in ('completed', 'skipped') or (s.state = 'discarded' and p_on_failure = 'continue'))
            ) as gone
        from tenure_private.need as w
        where w.node_id = p_node_id
    ) as k;
end
$function$;
comment on function tenure_private.key_state(bigint, int, int, text) is
'Of what a node needs, in one attempt of its group: missing: a required key will never come; settled: each key is there or will never come.';
revoke all on function tenure_private.key_state(bigint, int, int, text) from public;
