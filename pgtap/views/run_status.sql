begin;
select plan(13);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('mail', priority => 3);
select tenure.enqueue('sms');
select results_eq(
    'select r.run_id, r.name collate "default", r.state collate "default" from tenure.run_status as r order by '
    'r.run_id',
    $$ values (1::bigint, 'mail', 'available'), (2, 'sms', 'available') $$, 'One row a run: R-001'
);
select add_child(1, 500, '{"state": "running", "lease_owner": "w", "lease_expiry": "2030-01-01T00:01:00+00:00"}');
select add_child(1, 501, '{"state": "cancelled", "lease_owner": "w", "lease_expiry": "2030-01-01T00:00:30+00:00"}');
select add_child(1, 502, '{"state": "available"}');
select is((select count(*) from tenure.run_status), 2::bigint, 'Children are no runs');
select is((tenure.status(1)).in_flight, 2::bigint, 'in_flight counts the leases of all steps of a run: R-098');
select set_clock('30 s');
select is((tenure.status(1)).in_flight, 2::bigint, 'A lease is not over at its expiry: R-014');
select set_clock('30.000001 s');
select is((tenure.status(1)).in_flight, 1::bigint, 'But after it');
select is((tenure.status(2)).in_flight, 0::bigint, 'Another run''s leases are not counted');

-- A plain job's own lease: while it runs, and after it was ended from outside.
select set_clock('0');
select count(*) from tenure.claim(array['default'], 'w', 1, '1 m', array['sms']);
select is((tenure.status(2)).in_flight, 1::bigint, 'It runs');
select tenure.cancel(2, 'why');
select is((tenure.status(2)).in_flight, 1::bigint, 'Ended from outside its body may still run: R-098');
select is((tenure.status(2)).cancel_reason, 'why', 'The reason of a cancel is shown');
select tenure.complete(2, 'w', 1);
select is((tenure.status(2)).in_flight, 0::bigint, 'Its worker has reported: R-098');

select tenure.enqueue('fax', max_attempts => 2);
select count(*) from tenure.claim(array['default'], 'w', 1, '1 m', array['fax']);
select tenure.fail(3, 'w', 1, '{"type": "E"}', retry_after => '1 m');
select is(
    (
        select format('%s %s %s %s', r.state, r.attempt, r.error_kind, r.error)
        from tenure.run_status as r
        where r.run_id = 3
    ),
    'available 2 retryable {"type": "E"}', 'The error of the last attempt is shown while the next one waits'
);
select set_clock('1 m');
select count(*) from tenure.claim(array['default'], 'w', 1, '1 m', array['fax']);
select tenure.skip(3, 'w', 2, 'not needed');
select is((tenure.status(3)).cancel_reason, null, 'The reason of a skip is no cancel''s');
update tenure_private.step set purging = true where step_id = 3;
select is_empty('select from tenure.run_status as r where r.run_id = 3', 'What is being purged is hidden: R-142');

select * from finish();
rollback;
