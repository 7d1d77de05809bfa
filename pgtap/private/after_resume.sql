begin;
select plan(9);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('due');
select tenure.enqueue('later', delay => '1 h');
select tenure.enqueue('waits');
select count(*) from tenure.claim(array['default'], 'w', 1, '1 m', array['waits']);
select tenure.wait_signal(3, 'w', 1, 'go', '1 h');
insert into tenure_private.head (track_id, head)
select
    t.track_id,
    '2030-01-01 00:01:00+00' as head
from tenure_private.track as t;
select set_clock('1 m');
select tenure.worker_hello('w', array['default'], true);
select tenure_private.after_resume('{2,3}', '2030-01-01 00:01:00+00');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'What is not due wakes nobody');
select is(shown(3, 'state'), 'waiting_signal', 'Without a signal a wait goes on');
select is_empty('table tenure_private.behind', 'Nothing is noted');
insert into tenure_private.signal (run_id, signal, payload, created_at) values (3, 'stop', '1', now());
select tenure_private.after_resume('{3}', '2030-01-01 00:01:00+00');
select is(shown(3, 'state'), 'waiting_signal', 'Another signal does not end it');
insert into tenure_private.signal (run_id, signal, payload, created_at) values (3, 'go', '1', now());
select tenure_private.after_resume('{3}', '2030-01-01 00:01:00+00');
select is(shown(3, 'state'), 'available', 'Its own, kept meanwhile, does: R-116');
select tenure.worker_hello('w', array['default'], true);
delete from tenure_private.behind;
select tenure_private.after_resume('{1}', '2030-01-01 00:01:00+00');
select is_empty('table tenure_private.waiter', 'For what is due a worker is told: R-135');
select is(
    (select b.scheduled_at from tenure_private.behind as b), '2030-01-01 00:00:00+00', 'And its track''s head: R-039'
);
select lives_ok(
    $$ select tenure_private.after_resume(null, '2030-01-01 00:01:00+00') $$, 'Nothing resumed is nothing to do'
);
select tenure.enqueue('now');
select tenure.worker_hello('w', array['default'], true);
select tenure_private.after_resume('{4}', '2030-01-01 00:01:00+00');
select is_empty('table tenure_private.waiter', 'What is due at this instant is due: R-014');

select * from finish();
rollback;
