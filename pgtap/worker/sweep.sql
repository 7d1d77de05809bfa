begin;
select plan(19);
\ir ../session.psql
\ir ../steps.psql

select is(tenure.sweep(), row(0, 0, 0, 0, null)::tenure.sweep_report, 'Nothing to do, nothing to come: R-089');
select tenure.enqueue('t', delay => '1 h');
select is((tenure.sweep()).next_due_in, null, 'A step that is not due needs no sweep: R-089');
select tenure.cancel(1);

-- Batches.
select tenure.enqueue('t') from generate_series(1, 250);
select take('w', '30 s');
select is((tenure.sweep()).next_due_in, '30 s', 'It tells when it is next needed: R-089');
select set_clock('31 s');
select is(tenure.sweep(), row(100, 0, 0, 0, '0 s')::tenure.sweep_report, 'A hundred by default: R-086, R-089');
select is(tenure.sweep(1), row(1, 0, 0, 0, '0 s')::tenure.sweep_report, 'One when asked: R-086, R-089');
select is(tenure.sweep(149), row(149, 0, 0, 0, '0 s')::tenure.sweep_report, 'Up to its limit it wants to go on: R-089');
select is(tenure.sweep(1000), row(0, 0, 0, 0, null)::tenure.sweep_report, 'Then there is nothing more: R-089');
select tenure.cancel(s.step_id) from tenure.step_status as s where s.state = 'available';

-- Oldest alarm first; what is not due stays.
select tenure.enqueue('t', timeout => '20 s');
select tenure.enqueue('t', timeout => '10 s');
select tenure.enqueue('t', timeout => '30 s');
select take();
select set_clock('51.5 s');
select tenure.sweep(1);
select is(shown(253) ->> 'kind', 'timeout', 'The oldest alarm comes first: R-086');
select is(shown(252) ->> 'kind', null, 'The next one waits for its turn');
select is(
    tenure.sweep(), row(0, 1, 0, 0, '9.5 s')::tenure.sweep_report,
    'It comes in the next pass; the third is not due: R-084'
);
select is(shown(254) ->> 'state', 'running', 'It runs on: R-084');
select tenure.cancel(s.step_id) from tenure.step_status as s where s.finished_at is null;

-- Renewed leases: their alarms ring at the old expiry, and are only set anew.
select tenure.enqueue('t') from generate_series(1, 20);
select set_clock('100 s');
select take('w', '30 s');
select set_clock('120 s');
select count(*)
from tenure.heartbeat_many(array(select g from generate_series(255, 274) as g), 'w', array_fill(1::bigint, array[20]));
select tenure.enqueue('t');
select take('w', '15 s');
select set_clock('135.000001 s');
select is(
    tenure.sweep(1), row(1, 0, 0, 0, '0 s')::tenure.sweep_report,
    'Alarms that are only set anew count as nothing: R-087'
);
select is(
    tenure.sweep(), row(0, 0, 0, 0, '14.999999 s')::tenure.sweep_report, 'They are set to the renewed expiry: R-087'
);
select tenure.cancel(s.step_id) from tenure.step_status as s where s.finished_at is null;

-- Every kind in one pass, each counted for itself.
select tenure.enqueue('reclaimed');
select tenure.enqueue('timed out', timeout => '5 s');
select tenure.enqueue('timed out for good', timeout => '5 s', max_attempts => 1);
select tenure.enqueue('past its deadline', deadline => '5 s');
select tenure.enqueue('asleep');
select tenure.enqueue('waiting');
select tenure.enqueue('not started', start_within => '5 s', priority => 100);
select tenure.claim(array['default'], 'w', 6, '6 s');
select tenure.sleep(s.step_id, 'w', 1, '5 s') from tenure.step_status as s where s.name = 'asleep';
select tenure.wait_signal(s.step_id, 'w', 1, 'go', '5 s') from tenure.step_status as s where s.name = 'waiting';
select set_clock('142 s');
select is(
    (select format('%s %s %s %s', r.reclaimed, r.timed_out, r.discarded, r.woken) from tenure.sweep() as r), '1 2 3 2',
    'Each kind is counted; a timeout that discards as both: R-088'
);
select tenure.cancel(s.step_id) from tenure.step_status as s where s.finished_at is null;

-- Paused runs are left alone.
select tenure.enqueue('t', deadline => '5 s', start_within => '5 s');
select tenure.pause(s.step_id) from tenure.step_status as s where s.finished_at is null;
select set_clock('1000 s');
select is(tenure.sweep(), row(0, 0, 0, 0, null)::tenure.sweep_report, 'A paused run is not swept: R-112');
select tenure.cancel(s.step_id) from tenure.step_status as s where s.finished_at is null;

-- Bounds.
select throws_ok('select tenure.sweep(0)', 'TN007', null, 'max_steps 0: R-148');
select throws_ok('select tenure.sweep(1001)', 'TN007', null, 'max_steps 1001: R-148');
select throws_ok('select tenure.sweep(-1)', 'TN007', null, 'max_steps negative: R-148');
select throws_ok('select tenure.sweep(null)', 'TN007', null, 'max_steps NULL: R-148');

select * from finish();
rollback;
