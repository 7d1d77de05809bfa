begin;
select plan(8);

create function wrapped(p_role text, p_own jsonb, p_inherits boolean, p_defined boolean)
returns text
language sql
as $$
select tenure_private.node_policy(
    jsonb_populate_record(null::tenure_private.node, jsonb_build_object('policy', p_own, 'inherits', p_inherits)), p_role,
    '[{"timeout": 9}]',
    case when p_defined then jsonb_populate_record(null::tenure_private.definition, '{"name": "n", "max_attempts": 2}') end
)::text
$$;

select is(wrapped(n.role, n.own::jsonb, n.inherits, n.defined), n.policy, n.says)
from (
    values
    (
        'leaf',
        '[{"timeout": 1}]',
        true,
        true,
        '[{"timeout": 9}, {"timeout": 1}]',
        'Its own inside those around it: R-486, R-487'
    ),
    ('leaf', '[{"timeout": 1}]', false, true, '[{"timeout": 1}]', 'Cut off: R-487'),
    (
        'leaf',
        '[]',
        true,
        true,
        '[{"timeout": 9}, {"retry": {"backoff": null, "attempts": 2}}]',
        'Else those of its definition: R-486'
    ),
    ('leaf', '[]', false, true, '[{"retry": {"backoff": null, "attempts": 2}}]', 'Cut off: R-487'),
    ('leaf', '[]', true, false, '[{"timeout": 9}]', 'Undefined: R-486'),
    ('mount', '[{"timeout": 1}]', true, false, '[{"timeout": 9}, {"timeout": 1}]', 'A mount as a whole: R-487'),
    (
        'mount',
        '[{"timeout": 1}]',
        false,
        false,
        '[{"timeout": 9}, {"timeout": 1}]',
        'Never cut around the mount: R-487'
    ),
    ('map', '[{"timeout": 1}]', true, true, '[]', 'A map''s are those of its elements: R-487')
) as n (role, own, inherits, defined, policy, says);

select * from finish();
rollback;
