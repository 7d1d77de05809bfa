begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql

create function verdict(p_step_id bigint, p_owner text, p_generation bigint, p_verb text)
returns text
language sql
as $$
select tenure_private.late_verdict(s, p_owner, p_generation, p_verb) from tenure_private.step as s where s.step_id = p_step_id
$$;

select tenure.enqueue('job', max_attempts => 9, backoff => '{"kind": "fixed", "base": 0}');
select take('w 1');
select tenure.fail(1, 'w 1', 1, '{}');
select is(verdict(1, 'w 1', 1, 'fail'), 'retrying', 'The same report again: its verdict: R-050');
select is(verdict(1, 'w 1', 1, 'complete'), 'stale', 'Another verb: R-051');
select is(verdict(1, 'w', 1, 'fail'), 'stale', 'Another owner, though the name begins alike');
select is(verdict(1, '1', 1, 'fail'), 'stale', 'Or ends alike');
select is(verdict(1, 'w 1', 2, 'fail'), 'stale', 'Another generation: R-051');
select take('w 2');
select is(verdict(1, 'w 1', 1, 'fail'), 'stale', 'After a new claim: R-051');
select is(verdict(1, 'w 2', 2, 'fail'), 'stale', 'Which has not reported yet');
select tenure.cancel(1);
select is(verdict(1, 'w 2', 2, 'complete'), 'cancelled', 'Cancelled: R-049');
select is(verdict(1, 'whoever', 7, 'skip'), 'cancelled', 'Whoever asks: R-049');
select tenure.enqueue('job');
select take('a complete completed b');
select tenure.complete(2, 'a complete completed b', 1);
select is(verdict(2, 'a complete completed b', 1, 'complete'), 'completed', 'An owner is data: R-159');
select is(verdict(2, 'b', 1, 'complete'), 'stale', 'No part of it is another');

select * from finish();
rollback;
