begin;
select plan(13);

create function settings_of(p_policy jsonb)
returns text
language sql
as $$
select concat_ws(
    ', ', 'deadline ' || extract(epoch from s.deadline)::float, 'attempts ' || s.max_attempts, 'backoff ' || s.backoff::text,
    'timeout ' || extract(epoch from s.timeout)::float, 'bound ' || extract(epoch from s.bound)::float, 'layers ' || s.layers::text
)
from tenure_private.policy_settings(p_policy) as s
$$;

select is(settings_of(p.policy::jsonb), p.settings, p.policy || ': R-497')
from (
    values
    ('[]', ''),
    ('[{"retry": {"attempts": 3, "backoff": {"base": 4}}}]', 'attempts 3, backoff {"base": 4}'),
    ('[{"retry": {"attempts": 3}}, {"timeout": 2}]', 'attempts 3, timeout 2'),
    ('[{"deadline": 9}]', 'deadline 9, attempts 1'),
    ('[{"deadline": 9}, {"retry": {"attempts": 3}}, {"timeout": 2}]', 'deadline 9, attempts 3, timeout 2'),
    (
        '[{"timeout": 9}]',
        'attempts 1, bound 9, layers [{"timeout": 9}, {"retry": {"backoff": null, "attempts": 1}}]'
    ),
    (
        '[{"timeout": 9}, {"retry": {"attempts": 3}}]',
        'attempts 3, bound 9, layers [{"timeout": 9}, {"retry": {"attempts": 3}}]'
    ),
    (
        '[{"timeout": 9}, {"timeout": 8}, {"retry": {"attempts": 3}}, {"timeout": 7}]',
        'attempts 3, timeout 7, bound 8, layers [{"timeout": 9}, {"timeout": 8}, {"retry": {"attempts": 3}},'
        ' {"timeout": 7}]'
    ),
    (
        '[{"retry": {"attempts": 3}}, {"retry": {"attempts": 4}}]',
        'attempts 12, layers [{"retry": {"attempts": 3}}, {"retry": {"attempts": 4}}]'
    ),
    (
        '[{"retry": {"attempts": 3}}, {"timeout": 5}, {"timeout": 4}]',
        'attempts 3, bound 4, layers [{"retry": {"attempts": 3}}, {"timeout": 5}, {"timeout": 4}]'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"deadline": 5}, {"retry": {"attempts": 1}}]',
        'attempts 2, bound 5, layers [{"retry": {"attempts": 2}}, {"deadline": 5}, {"retry": {"attempts": 1}}]'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"timeout": 0}, {"retry": {"attempts": 2}}]',
        'attempts 4, bound 0, layers [{"retry": {"attempts": 2}}, {"timeout": 0}, {"retry": {"attempts": 2}}]'
    ),
    (
        '[{"retry": {"attempts": 2147483647}}, {"retry": {"attempts": 2147483647}}]',
        'attempts 2147483647, layers [{"retry": {"attempts": 2147483647}}, {"retry": {"attempts": 2147483647}}]'
    )
) as p (policy, settings);

select * from finish();
rollback;
