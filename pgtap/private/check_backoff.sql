begin;
select plan(46);

select
    lives_ok(
        format('select tenure_private.check_backoff(%L)', b.backoff), format('%s is taken', coalesce(b.backoff, 'NULL'))
    )
from (
    values
    (null),
    ('{}'),
    ('{"kind": "exponential", "base": 1, "factor": 2, "cap": 3600, "jitter": 0.2}'),
    ('{"kind": "fixed"}'),
    ('{"kind": "linear", "base": 0.000001}'), ('{"kind": "fixed", "base": 0}'), ('{"factor": 1}'), ('{"factor": 1000}'),
    ('{"cap": 0.001}'), ('{"cap": 3155760000}'), ('{"jitter": 0}'), ('{"jitter": 1}'), ('{"base": 3155760000}')
) as b (backoff);
select
    throws_ok(
        format('select tenure_private.check_backoff(%L)', b.backoff),
        'TN007',
        null,
        format('%s is refused', b.backoff)
    )
from (
    values
    ('null'),
    ('1'),
    ('"fixed"'),
    ('[]'),
    ('{"kind": "cubic"}'),
    ('{"kind": ""}'),
    ('{"kind": 1}'),
    ('{"kind": ["fixed"]}'),
    ('{"delay": 1}'),
    ('{"base": "1"}'),
    ('{"base": null}'),
    ('{"base": "NaN"}'),
    ('{"base": "Infinity"}'),
    ('{"base": true}'),
    ('{"base": -1}'), ('{"base": 0}'), ('{"kind": "linear", "base": 0}'), ('{"base": 0.0000001}'), ('{"base": 1e18}'),
    ('{"base": 9.3e12}'), ('{"kind": "fixed", "base": 3155760001}'), ('{"factor": 0}'), ('{"factor": 0.5}'),
    ('{"factor": -2}'), ('{"factor": 1001}'), ('{"factor": 1e400}'), ('{"cap": 0}'), ('{"cap": -1}'), ('{"cap": 1e18}'),
    ('{"cap": null}'), ('{"jitter": 5}'), ('{"jitter": -0.1}'), ('{"jitter": 1.0000001}')
) as b (backoff);

select * from finish();
rollback;
