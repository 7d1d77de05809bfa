begin;
select plan(66);
\ir ../session.psql

create function delay(p_backoff jsonb, p_attempt int, p_random double precision default 0.5)
returns numeric
language sql
as $$ select round(extract(epoch from tenure_private.backoff(p_backoff, p_attempt, p_random)), 6) $$;

-- The default: 1 s, doubled each time, at most an hour; without its jitter in the middle of the range.
select is(delay(null, b.attempt), b.seconds, format('The default after attempt %s: R-058', b.attempt))
from (
    values
    (1, 1.0),
    (2, 2),
    (3, 4),
    (4, 8),
    (11, 1024),
    (12, 2048),
    (13, 3600),
    (30, 3600),
    (31, 3600),
    (32, 3600),
    (46, 3600),
    (47, 3600),
    (62, 3600),
    (63, 3600),
    (64, 3600),
    (1023, 3600),
    (1024, 3600),
    (5000, 3600),
    (2147483647, 3600),
    (0, 1),
    (-1, 1), (-2147483648, 1)
) as b (attempt, seconds);

-- Jitter: before the cap, on both sides of the delay.
select
    is(
        delay(j.backoff, j.attempt, j.random), j.seconds,
        format('%s after attempt %s at %s: R-058', coalesce(j.backoff::text, 'default'), j.attempt, j.random)
    )
from (
    values
    (null::jsonb, 1, 0.0, 0.8),
    (null, 1, 1.0, 1.2),
    (null, 5, 0.0, 12.8),
    (null, 5, 1.0, 19.2),
    (null, 5000, 0.0, 2880.0),
    (null, 5000, 1.0, 3600.0),
    ('{"jitter": 0}', 3, 0.0, 4.0), ('{"jitter": 0}', 3, 1.0, 4.0),
    ('{"jitter": 1}', 3, 0.0, 0.0), ('{"jitter": 1}', 3, 1.0, 8.0), ('{"jitter": 1}', 64, 1.0, 3600.0)
) as j (backoff, attempt, random, seconds);

-- Every kind and every member.
select
    is(
        delay(b.backoff, b.attempt), b.seconds, format('%s after attempt %s: R-058', b.backoff, b.attempt)
    )
from (
    values
    ('{}'::jsonb, 3, 4.0),
    ('{"base": 3}', 1, 3), ('{"base": 3}', 2, 6), ('{"base": 3}', 5000, 3600),
    ('{"base": 0.5, "factor": 3, "cap": 10}', 1, 0.5), ('{"base": 0.5, "factor": 3, "cap": 10}', 3, 4.5),
    ('{"base": 0.5, "factor": 3, "cap": 10}', 4, 10), ('{"base": 0.5, "factor": 3, "cap": 10}', 1024, 10),
    ('{"factor": 1}', 1, 1),
    ('{"factor": 1}', 5000, 1),
    ('{"factor": 1.5}', 3, 2.25),
    ('{"factor": 1.0000001}', 5000, 1.0005),
    ('{"factor": 1000}', 2, 1000), ('{"factor": 1000}', 5000, 3600),
    ('{"base": 50, "cap": 20}', 1, 20), ('{"base": 50, "cap": 20}', 64, 20), ('{"base": 20, "cap": 20}', 64, 20),
    ('{"kind": "fixed", "base": 7}', 1, 7), ('{"kind": "fixed", "base": 7}', 5000, 7),
    ('{"kind": "fixed", "base": 7, "cap": 5}', 1, 5), ('{"kind": "fixed", "base": 0}', 1, 0),
    ('{"kind": "fixed", "base": 0}', 5000, 0), ('{"kind": "fixed", "base": 1e-7}', 1, 0),
    ('{"kind": "linear", "base": 2}', 1, 2), ('{"kind": "linear", "base": 2}', 3, 6),
    ('{"kind": "linear", "base": 2}', 5000, 3600), ('{"kind": "linear", "base": 3155760000}', 2147483647, 3155760000),
    ('{"base": 0.000001, "cap": 3155760000, "factor": 1000}', 5000, 3155760000),
    ('{"base": 3155760000, "cap": 3155760000}', 5000, 3155760000),
    -- Numbers that jsonb can hold and a double cannot.
    ('{"kind": "fixed", "base": 1e-400}', 1, 0), ('{"kind": "fixed", "base": 2, "jitter": 1e-400}', 1, 2)
) as b (backoff, attempt, seconds);

-- Over all attempts: never less, never negative, never above the cap.
select is_empty(
    $$ select from generate_series(1, 6000) as a (n)
       where delay('{"jitter": 0}', a.n + 1) < delay('{"jitter": 0}', a.n) $$,
    'It never falls'
);
select is_empty(
    $$ select from generate_series(1, 300) as a (n) cross join generate_series(0, 0.999, 0.111) as r (random)
       where delay('{"jitter": 1, "cap": 60}', a.n, r.random) not between 0 and 60 $$,
    'It stays between 0 and its cap: R-058'
);

select * from finish();
rollback;
