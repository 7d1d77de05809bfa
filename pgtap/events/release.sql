begin;
select plan(10);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t', backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');
select take();
select tenure.fail(1, 'w', 1, '{"type": "E", "message": "first"}');
select set_clock('20 s');
select take();
select set_clock('25 s');
select is(tenure.release(1, 'w', 2), 'released', 'Handed back');
select is(
    shown(1),
    '{"state": "available", "attempt": 2, "due": "00:00:10", "reclaims": 0, "releases": 1, "kind": "retryable",
      "error": {"type": "E", "message": "first"}}',
    'No attempt consumed, no error stored, releases + 1: R-072'
);
select is(logged(1), '1 by w/1 at 00:00:00: retryable', 'It is no attempt that ended: R-072');
select is(take(), 1::bigint, 'It is due at once: R-072');
select is(
    (select s.lease_generation from tenure.step_status as s where s.step_id = 1), 3::bigint,
    'By a new execution of the same attempt: R-004'
);

-- 40,000 are as good as one: the counter goes far beyond a smallint and an int.
update tenure_private.step set releases = 40000, lease_generation = 40000 where step_id = 1;
select is(tenure.release(1, 'w', 40000), 'released', 'The 40,001st');
select is(shown(1) -> 'releases', '40001', 'Is counted: R-077');
select is(take(), 1::bigint, 'And the step goes on: R-077');
update tenure_private.step set releases = 2147483647, lease_generation = 2147483647 where step_id = 1;
select tenure.release(1, 'w', 2147483647);
select is(shown(1) -> 'releases', '2147483648', 'So is one more than an int holds: R-077');
select take();
select is(tenure.complete(1, 'w', 2147483648), 'completed', 'Generations go on as well: R-077, R-004');

select * from finish();
rollback;
