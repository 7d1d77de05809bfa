begin;
select plan(9);
\ir ../session.psql
\ir ../steps.psql

create function rung(p_max_steps int)
returns text
language sql
as $$
select concat_ws(' ', r.reclaimed, r.timed_out, r.discarded, r.woken, coalesce(r.next_due_in::text, 'never'))
from tenure_private.ring(p_max_steps) as r
$$;

select is(rung(10), '0 0 0 0 never', 'Nothing is to come: R-089');
select tenure.enqueue('1 crash');
select tenure.enqueue('2 timeout', timeout => '20 s');
select tenure.enqueue('3 last timeout', timeout => '20 s', max_attempts => 1);
select tenure.enqueue('4 sleep');
select tenure.enqueue('5 wait');
select tenure.enqueue('6 beats');
select tenure.enqueue('7 deadline', deadline => '40 s', delay => '1 h');
select count(*) from tenure.claim(array['default'], 'w', 10, '30 s');
select tenure.sleep(4, 'w', 1, '10 s');
select tenure.wait_signal(5, 'w', 1, 'go', '35 s');
select is(rung(10), '0 0 0 0 00:00:10', 'Nothing is due, and when it will be: R-084, R-089');
select set_clock('29 s');
select tenure.heartbeat(6, 'w', 1);
select set_clock('30.5 s');
select is(rung(1), '0 0 0 1 00:00:00', 'At most so many, the oldest alarm first, and more at once: R-086, R-089');
select is(
    rung(10), '1 2 1 0 00:00:04.5',
    'Each kind counted, the last timeout twice, a renewed lease not at all: R-087, R-088'
);
select is(shown(6, 'state', 'alarm_at'), 'running 2030-01-01T00:00:59+00:00', 'The renewed one is left alone');
select set_clock('40 s');
select is(rung(10), '0 0 1 1 00:00:19', 'Later the others: R-084');
select is(rung(10), '0 0 0 0 00:00:19', 'Each once');
select set_clock('1 m');
select is(rung(1), '1 0 0 0 00:00:00', 'A pass that reached its limit is followed at once, though nothing is left');
select is(rung(1), '0 0 0 0 never', 'Which that one finds: R-089');

select * from finish();
rollback;
