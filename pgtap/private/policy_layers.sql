begin;
select plan(8);

create function layers(p_policy jsonb)
returns text
language sql
as $$
select string_agg(concat_ws(' ', l.kind, l.attempts, extract(epoch from l.span)::float, l.begun, l.entered_at), ', ' order by l.position)
from tenure_private.policy_layers(p_policy) as l
$$;

select is(layers(p.policy::jsonb), p.layers, p.policy || ': R-484')
from (
    values
    ('[]', null),
    ('[{"timeout": 2}]', 'timeout 2 -infinity'),
    ('[{"retry": {"attempts": 3, "backoff": null}}]', 'retry 3 1'),
    ('[{"timeout": 2}, {"retry": {"attempts": 3}}]', 'timeout 2 -infinity, retry 3 1'),
    ('[{"retry": {"attempts": 3}}, {"timeout": 2.5}]', 'retry 3 1, timeout 2.5'),
    (
        '[{"retry": {"attempts": 3}}, {"timeout": 2}, {"timeout": 1}]',
        'retry 3 1, timeout 2 -infinity, timeout 1 -infinity'
    ),
    (
        '[{"retry": {"attempts": 3}}, {"timeout": 2}, {"retry": {"attempts": 2}}]',
        'retry 3 1, timeout 2 -infinity, retry 2 1'
    ),
    ('[{"retry": {"attempts": 3}}, {"deadline": 2}]', 'retry 3 1, deadline 2 -infinity')
) as p (policy, layers);

select * from finish();
rollback;
