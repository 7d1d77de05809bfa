begin;
select plan(19);
\ir ../session.psql
\ir ../steps.psql

create function answer(p_step_id bigint)
returns text
language sql
as $$
select concat_ws(
    ' ', o.verdict, o.state, o.error_kind, o.attempt, o.reclaims, case when o.keeps_lease then 'keeps its lease' end
)
from tenure_private.step as s
cross join lateral tenure_private.answer_running(s, tenure_private.clock()) as o
where s.step_id = p_step_id
$$;

select tenure.enqueue('1 timeout', timeout => '10 s');
select tenure.enqueue('2 last timeout', timeout => '10 s', max_attempts => 1);
select tenure.enqueue('3 wait', timeout => '10 s', on_timeout => 'wait');
select tenure.enqueue('4 progress', progress_timeout => '10 s');
select tenure.enqueue('5 deadline', deadline => '10 s', timeout => '5 s', on_timeout => 'wait');
select tenure.enqueue('6 crash');
select tenure.enqueue('7 last crash', max_reclaims => 0);
select tenure.enqueue('8 crash for ever', max_reclaims => -1);
update tenure_private.step set reclaims = 2147483647 where step_id = 8;
select count(*) from tenure.claim(array['default'], 'w', 10, '20 s');
select set_clock('4.999999 s');
select is(answer(s.step_id), '', shown(s.step_id, 'name') || ': nothing yet') from generate_series(1, 8) as s (step_id);
select set_clock('10 s');
select is(answer(1), 'timed_out available timeout 2', 'A timeout consumes the attempt: R-062');
select is(answer(2), 'timed_out discarded discarded timeout keeps its lease', 'The last one discards: R-062, R-088');
select is(answer(3), '', 'Under wait it stays while its lease lasts: R-095');
select is(answer(4), 'timed_out available progress 2', 'No progress consumes the attempt too: R-063');
select is(answer(5), 'discarded discarded deadline keeps its lease', 'A deadline does not wait: R-064, R-097');
select is(answer(6), '', 'A lease that lasts: nothing');
select set_clock('20 s');
select is(answer(6), '', 'A lease is not over at its expiry: R-014');
select set_clock('20.000001 s');
select is(answer(6), 'reclaimed available 1', 'After it the step is reclaimed, no attempt consumed: R-070');
select is(answer(7), 'discarded discarded reclaim_limit keeps its lease', 'After max_reclaims it is discarded: R-071');
select is(answer(8), 'reclaimed available 2147483647', 'Without a bound never, and no counter overflows: R-071, R-077');
select is(answer(3), 'timed_out available timeout 2', 'Under wait the end of the lease is the timeout: R-095');

select * from finish();
rollback;
