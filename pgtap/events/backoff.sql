begin;
select plan(31);
\ir ../session.psql
\ir ../steps.psql

-- The pure function first: without jitter, in seconds, after the given attempt.
create function delay(p_backoff jsonb, p_attempt int, p_random double precision default 0.5)
returns numeric
language sql
as $$ select round(extract(epoch from tenure_private.backoff(p_backoff, p_attempt, p_random)), 3) $$;

select is(delay(null, 1), 1.000, 'The default begins at 1 s: R-058');
select is(delay(null, 2), 2.000, 'And doubles: R-058');
select is(delay(null, 5), 16.000, 'And doubles: R-058');
select is(delay(null, 12), 2048.000, 'Up to: R-058');
select is(delay(null, 13), 3600.000, 'An hour: R-058');
select is(
    (
        select array_agg(distinct delay(null, a))
        from unnest(array[30, 31, 32, 46, 47, 62, 63, 64, 1023, 1024, 5000, 2147483647]) as a
    ),
    array[3600.000], 'No attempt number overflows it: R-058'
);
select is(delay(null, 0), 1.000, 'Nor does one that is none');
select is(delay(null, -5), 1.000, 'Nor a negative one');
select is(delay(null, 1, 0), 0.800, 'Jitter takes off 20 %');
select is(delay(null, 1, 0.999999), 1.200, 'Or adds them');
select is(delay(null, 13, 0.999999), 3600.000, 'Never above the cap: R-058');
select is(delay(null, 13, 0), 2880.000, 'Below it, jitter still counts');
select is(delay('{"jitter": 1}', 1, 0), 0.000, 'Full jitter is never negative: R-058');
select is(delay('{"kind": "fixed", "base": 7, "jitter": 0}', 1), 7.000, 'fixed: R-058');
select is(delay('{"kind": "fixed", "base": 7, "jitter": 0}', 1000000), 7.000, 'fixed, late: R-058');
select is(delay('{"kind": "linear", "base": 7, "jitter": 0}', 1), 7.000, 'linear: R-058');
select is(delay('{"kind": "linear", "base": 7, "jitter": 0}', 3), 21.000, 'linear, later: R-058');
select is(delay('{"kind": "linear", "base": 7, "jitter": 0, "cap": 20}', 3), 20.000, 'linear, capped: R-058');
select is(delay('{"kind": "linear", "base": 7, "cap": 60}', 2147483647), 60.000, 'linear, never beyond: R-058');
select is(delay('{"factor": 1, "base": 3}', 2147483647), 3.000, 'A factor of 1 stays: R-058');
select is(delay('{"factor": 1000, "base": 1, "cap": 3155760000}', 2147483647), 3155760000.000, 'The steepest');
select is(delay('{"base": 0.000001, "factor": 1.0000001, "jitter": 0}', 5000), 0.000, 'The flattest');
select is(delay('{"kind": "fixed", "base": 0}', 5), 0.000, 'fixed may be 0: R-058');
select is(delay('{"base": 100, "cap": 10}', 1), 10.000, 'A base above the cap is capped: R-058');
select is(
    (select count(*) from generate_series(1, 300) as a where delay(null, a + 1) < delay(null, a)), 0::bigint,
    'It never falls: R-058'
);

-- As fail() uses it.
select tenure.enqueue('t', max_attempts => 2147483647, backoff => '{"kind": "linear", "base": 10, "jitter": 0}');
select tenure.enqueue('t');
select take();
select tenure.fail(1, 'w', 1, '"e"');
select is(shown(1) ->> 'due', '00:00:10', 'After the first attempt: R-058');
select set_clock('10 s');
select take();
select tenure.fail(1, 'w', 2, '"e"');
select is(shown(1) ->> 'due', '00:00:30', 'After the second: R-058');
select set_clock('30 s');
select take();
update tenure_private.step set attempt = 2147483646 where step_id = 1;
select is(tenure.fail(1, 'w', 3, '"e"'), 'retrying', 'The last attempt but one of two billion: R-058, R-077');
select is(shown(1) -> 'attempt', '2147483647', 'Is counted: R-077');
select set_clock('2000 h');
select take();
select is(tenure.fail(1, 'w', 4, '"e"'), 'discarded', 'The last one is the last: R-077');

select set_clock('0');
select tenure.fail(2, 'w', 1, '"e"');
select ok((shown(2) ->> 'due')::interval between '0.8 s' and '1.2 s', 'The default backoff has jitter: R-058');

select * from finish();
rollback;
