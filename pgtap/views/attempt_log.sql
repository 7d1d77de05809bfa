begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

create function log_of(p_step_id bigint)
returns setof text
language sql
as $$
select concat_ws(
    ' ', l.name, l.attempt, l.generation, l.owner, to_char(l.started_at, 'MI:SS'), to_char(l.ended_at, 'MI:SS'), l.kind, l.error
)
from tenure.attempt_log as l
where l.step_id = p_step_id and l.run_id = p_step_id
order by l.generation
$$;

-- One row for each ended attempt that did not succeed.
select tenure.enqueue('job', max_attempts => 4, timeout => '10 s', backoff => '{"kind": "fixed", "base": 0}');
select take('a');
select set_clock('1 s');
select tenure.fail(1, 'a', 1, '{"type": "E"}');
select set_clock('2 s');
select take('b');
select set_clock('3 s');
select tenure.release(1, 'b', 2);
select take('c');
select set_clock('13 s');
select swept();
select take('d');
select set_clock('14 s');
select tenure.sleep(1, 'd', 4, '1 s');
select set_clock('15 s');
select swept();
select take('e');
select tenure.fail(1, 'e', 5, '{"type": "F"}', 'permanent');
select results_eq(
    'select log_of(1)',
    $$ values
        ('job 1 1 a 00:00 00:01 retryable {"type": "E"}'),
        ('job 2 3 c 00:03 00:13 timeout {"kind": "timeout", "step": "job", "type": "LimitPassed", "layer": "timeout", '
         '"limit": 10.000000, "message": "step job passed its timeout"}'),
        ('job 3 5 e 00:15 00:15 permanent {"type": "F"}') $$,
    'Who, when, why: releases and sleeps end no attempt'
);
select tenure.enqueue('job');
select take('a');
select tenure.complete(2, 'a', 1);
select tenure.enqueue('job');
select take('a');
select tenure.skip(3, 'a', 1);
select is_empty('select log_of(s.n) from generate_series(2, 3) as s (n)', 'Success is not in it');
select tenure.enqueue('job');
select take('a');
select tenure.cancel(4);
select results_eq(
    'select log_of(4)', $$ values ('job 1 1 a 00:15 00:15 cancelled') $$, 'A cancel that cut an attempt short is'
);
select tenure.enqueue('job');
select tenure.cancel(5);
select tenure.enqueue('job', deadline => '1 s');
select tenure.enqueue('job', start_within => '1 s');
select set_clock('1 m');
select swept();
select is_empty('select log_of(s.n) from generate_series(5, 7) as s (n)', 'What ends while nobody runs it is not');
select tenure.enqueue('job', deadline => '10 s');
select take('a', '1 h');
select tenure.enqueue('job', max_reclaims => 0);
select take('a', '5 s');
select set_clock('1 m 10 s');
select swept();
select results_eq(
    'select l.kind collate "default" from tenure.attempt_log as l where l.step_id in (8, 9) order by l.step_id',
    $$ values ('deadline'), ('reclaim_limit') $$, 'A deadline or the last reclaim that ends a running attempt is'
);
select tenure.enqueue('job');
select take('a', '5 s');
select set_clock('2 m');
select swept();
select is_empty('select log_of(10)', 'A reclaim ends no attempt');
update tenure_private.step set purging = true where step_id = 1;
select is_empty('select log_of(1)', 'What is being purged is hidden: R-142');

select * from finish();
rollback;
