begin;
select plan(4);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('job');
select take();
select tenure.wait_signal(1, 'w', 1, 'go', '1 h');
insert into tenure_private.signal (run_id, signal, payload, created_at)
values (1, 'go', '1', '2030-01-01 00:00:00+00'), (1, 'go', '2', '2030-01-01 00:00:00+00');
insert into tenure_private.wait (step_id, key, kind, signal, created_at)
values (2, 'signal:go:1', 'signal', 'stop', now());
select tenure.worker_hello('w', array['default'], true);
select set_clock('5 s');
select tenure_private.deliver_signal(1, 'signal:go:1', '2030-01-01 00:00:05+00');
select is(
    shown(1, 'state', 'scheduled_at', 'due_at', 'alarm_at', 'attempt'), 'available 2030-01-01T00:00:00+00:00 - - 1',
    'The step is available again: R-117'
);
select is(
    (select w.outcome || ' ' || w.payload from tenure_private.wait as w where w.outcome is not null), 'arrived 1',
    'The oldest signal arrived: R-122'
);
select is((select s.payload from tenure_private.signal as s), '2', 'The other one is kept');
select is_empty('table tenure_private.waiter', 'A waiting worker was told: R-135');

select * from finish();
rollback;
