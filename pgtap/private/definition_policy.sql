begin;
select plan(6);

create function policy_of(p_values jsonb)
returns text
language sql
as $$
select tenure_private.definition_policy(jsonb_populate_record(null::tenure_private.definition, p_values || '{"name": "n"}'))::text
$$;

select is(policy_of(d.given::jsonb), d.policy, format('%s: R-486', d.given))
from (
    values
    ('{}', '[]'),
    ('{"backoff": {"base": 2}, "start_within": "1 s", "progress_timeout": "1 s", "max_reclaims": 1}', '[]'),
    ('{"max_attempts": 3}', '[{"retry": {"backoff": null, "attempts": 3}}]'),
    ('{"max_attempts": 3, "backoff": {"base": 2}}', '[{"retry": {"backoff": {"base": 2}, "attempts": 3}}]'),
    ('{"timeout": "1.5 s"}', '[{"retry": {"backoff": null, "attempts": 1}}, {"timeout": 1.500000}]'),
    (
        '{"deadline": "1 day", "timeout": "2 s", "max_attempts": 3}',
        '[{"deadline": 86400.000000}, {"retry": {"backoff": null, "attempts": 3}}, {"timeout": 2.000000}]'
    )
) as d (given, policy);

select * from finish();
rollback;
