begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

select is_empty('select from tenure.lease_status', 'No lease, no row');
select tenure.enqueue('job', queue => 'default') from generate_series(1, 3);
select count(*) from tenure.claim(array['default'], 'w', 2, '1 m');
select set_clock('1 s');
select tenure.heartbeat(1, 'w', 1, '50');
select is(
    (select to_jsonb(l) from tenure.lease_status as l where l.step_id = 1),
    '{"owner": "w", "step_id": 1, "run_id": 1, "name": "job", "queue": "default", "state": "running", "attempt": 1,
      "generation": 1, "started_at": "2030-01-01T00:00:00+00:00", "heartbeat_at": "2030-01-01T00:00:01+00:00",
      "lease_expiry": "2030-01-01T00:01:01+00:00", "expired": false, "progress": 50,
      "progress_at": "2030-01-01T00:00:01+00:00"}'::jsonb,
    'Who holds what, until when, how far it is'
);
select is((select count(*) from tenure.lease_status), 2::bigint, 'One row a lease');
select tenure.cancel(2);
select is(
    (select concat_ws(' ', l.state, l.owner, l.lease_expiry) from tenure.lease_status as l where l.step_id = 2),
    'cancelled w 2030-01-01 00:01:00+00', 'Of a step ended from outside too: its body may still run: R-098'
);
select set_clock('1 m');
select is(
    (select l.expired from tenure.lease_status as l where l.step_id = 2), false,
    'A lease is not over at its expiry: R-014'
);
select set_clock('1 m 0.000001 s');
select is((select l.expired from tenure.lease_status as l where l.step_id = 2), true, 'But after it');
select tenure.complete(2, 'w', 1);
select tenure.complete(1, 'w', 1);
select is_empty('select from tenure.lease_status', 'Reported: no lease any more');

select * from finish();
rollback;
