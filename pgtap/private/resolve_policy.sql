begin;
select plan(15);
\ir ../session.psql

create function resolved(p_policy jsonb)
returns jsonb
language sql
as $$ select jsonb_strip_nulls(to_jsonb(tenure_private.resolve_policy(p_policy))) - 'track_id' - 'queue_id' $$;

select is(
    resolved('{"name": "mail"}'), '{"max_attempts": 5, "max_reclaims": 10, "on_timeout": "abandon"}',
    'A name alone: R-016'
);
select is(
    resolved('{
        "name": "mail", "queue": "default", "priority": 3, "timeout": "1 m", "deadline": "1 day", "max_attempts": 2,
        "backoff": {"base": 2}, "max_reclaims": 4, "on_timeout": "wait", "start_within": "1 h", "progress_timeout": 30,
        "idempotency_period": "2 days"
    }'),
    '{"timeout": "00:01:00", "deadline": "24:00:00", "max_attempts": 2, "backoff": {"base": 2}, "max_reclaims": 4,
      "on_timeout": "wait", "start_within": "01:00:00", "progress_timeout": "00:00:30", "idempotency_period": "48:00:00"}',
    'All there is; a number is of seconds'
);
select is(
    resolved('{"name": "mail", "backoff": null, "timeout": null, "queue": null}'), resolved('{"name": "mail"}'),
    'JSON null says nothing'
);
select throws_ok(format('select resolved(%L)', p.policy), p.code, null, format('%s is refused: R-132', p.policy))
from (
    values
    ('{}', 'TN005'), ('{"name": "mail", "input": 1}', 'TN007'), ('{"name": "mail", "Queue": "default"}', 'TN007'),
    ('{"name": "mail", "timeout": "soon"}', 'TN007'), ('{"name": "mail", "timeout": {"s": 1}}', 'TN007'),
    ('{"name": "mail", "timeout": [1]}', 'TN007'),
    ('{"name": {"a": 1}}', 'TN007'),
    ('{"name": "mail", "priority": "x"}', 'TN007'),
    ('{"name": "mail", "max_attempts": 1e20}', 'TN007'), ('{"name": "mail", "backoff": 1}', 'TN007'),
    ('{"name": "mail", "queue": "nowhere"}', 'TN003'), ('{"name": "mail", "deadline": "1 mon"}', 'TN006')
) as p (policy, code);

select * from finish();
rollback;
