begin;
select plan(25);

select is(tenure_private.parse_layer(l.given::jsonb), l.layer::jsonb, format('%s: R-480, R-485', l.given))
from (
    values
    ('{"timeout": "2 s"}', '{"timeout": 2.000000}'),
    ('{"timeout": 0}', '{"timeout": 0.000000}'),
    (
        '{"retry": {"attempts": 3, "delay": "100 ms"}}',
        '{"retry": {"attempts": 3, "backoff": {"kind": "fixed", "base": 0.1, "jitter": 0}}}'
    ),
    ('{"retry": {"attempts": 3}}', '{"retry": {"attempts": 3, "backoff": {"kind": "fixed", "base": 0, "jitter": 0}}}'),
    (
        '{"retry": {"attempts": 0, "delay": 1}}',
        '{"retry": {"attempts": 1, "backoff": {"kind": "fixed", "base": 1, "jitter": 0}}}'
    ),
    ('{"retry": {"attempts": -7}}', '{"retry": {"attempts": 1, "backoff": {"kind": "fixed", "base": 0, "jitter": 0}}}'),
    (
        '{"retry": {"attempts": 2147483647}}',
        '{"retry": {"attempts": 2147483647, "backoff": {"kind": "fixed", "base": 0, "jitter": 0}}}'
    ),
    ('{"retry": {"attempts": 2, "backoff": {"base": 4}}}', '{"retry": {"attempts": 2, "backoff": {"base": 4}}}')
) as l (given, layer);
select
    throws_ok(
        format('select tenure_private.parse_layer(%L)', l.given), 'TN007', null, format('%s is refused: R-480', l.given)
    )
from (
    values
    ('1'), ('null'), ('"retry"'), ('[]'), ('{}'), ('{"retries": 3}'), ('{"timeout": 1, "retry": {"attempts": 1}}'),
    ('{"timeout": 1, "more": 1}'), ('{"retry": {"attempts": 1}, "more": 1}'), ('{"retry": 3}'), ('{"retry": null}'),
    ('{"retry": {}}'), ('{"retry": {"attempts": "3"}}'), ('{"retry": {"attempts": 1.5}}'),
    ('{"retry": {"attempts": 2147483648}}'), ('{"retry": {"attempts": 1, "delay": 1, "backoff": {}}}'),
    ('{"retry": {"attempts": 1, "cap": 1}}')
) as l (given);

select * from finish();
rollback;
