create or replace function tenure_private.key_state(
    p_group_id bigint, p_attempt int, p_node_id int, out missing boolean, out blocked boolean, out settled boolean
)
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Where a failure ends the whole group, what its failed child would have provided stays open: the siblings are called
-- off, and not skipped, so that a retry can bring them back. Where the group goes on, they are blocked, for the same.
-- volatile: a fold asks for what it has just written.
declare
    v_input jsonb;
    v_goes_on boolean;
begin
    select case when jsonb_typeof(s.input) = 'object' then s.input else '{}' end, g.on_failure = 'continue'
    into strict v_input, v_goes_on
    from tenure_private.step as s
    join tenure_private.step_group as g on g.step_id = s.step_id
    where s.step_id = p_group_id;
    select
        coalesce(bool_or(k.gone and not k.optional), false),
        coalesce(bool_or(k.lost and not k.optional), false),
        coalesce(bool_and(k.there or k.gone or k.lost), true)
    into strict missing, blocked, settled
    from (
        select w.optional, t.there, not t.there and (w.producer_id is null or p.gone) as gone,
            not t.there and v_goes_on and p.lost as lost
        from tenure_private.need as w
        cross join lateral (
            select v_input ? w.key or exists (
                select from tenure_private.published as p
                where p.group_id = p_group_id and p.attempt = p_attempt and p.key = w.key
            ) as there
        ) as t
        cross join lateral (
            select
                coalesce(bool_or(s.state in ('completed', 'skipped')), false) as gone,
                coalesce(
                    bool_or(s.state = 'discarded' or (s.state = 'pending' and s.reason = 'blocked')), false
                ) as lost
            from tenure_private.member as m
            join tenure_private.step as s on s.step_id = m.step_id
            where m.group_id = p_group_id and m.attempt = p_attempt and m.node_id = w.producer_id
        ) as p
        where w.node_id = p_node_id
    ) as k;
end
$function$;
comment on function tenure_private.key_state(bigint, int, int) is
'Of what a node needs, in one attempt of its group: missing: a required key will never come; blocked: one waits for a child that has failed; settled: each key is there, or will not come.';
revoke all on function tenure_private.key_state(bigint, int, int) from public;
