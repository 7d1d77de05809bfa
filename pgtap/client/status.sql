begin;
select plan(12);
\ir ../session.psql

select tenure.create_queue('io');
select tenure.enqueue('mail', '{"to": "a"}', queue => 'io', priority => 7, max_attempts => 3, delay => '1 m');

select is(
    to_jsonb(tenure.status(1)),
    '{"run_id": 1, "name": "mail", "queue": "io", "state": "available", "priority": 7,
      "scheduled_at": "2030-01-01T00:01:00+00:00", "created_at": "2030-01-01T00:00:00+00:00", "started_at": null,
      "finished_at": null, "attempt": 1, "max_attempts": 3, "output": null, "error": null, "error_kind": null,
      "cancel_reason": null, "in_flight": 0}'::jsonb,
    'A new run: R-001'
);

select set_clock('1 m');
select count(*) from tenure.claim(array['io'], 'w');
select is((tenure.status(1)).state, 'running', 'Claimed, it is running');
select is((tenure.status(1)).started_at, '2030-01-01 00:01:00+00', 'It tells since when');
select is((tenure.status(1)).in_flight, 1::bigint, 'Its lease is in flight');
select set_clock('1 m 30 s');
select is((tenure.status(1)).in_flight, 1::bigint, 'Until its expiry: R-014');
select set_clock('1 m 30.000001 s');
select is((tenure.status(1)).in_flight, 0::bigint, 'An expired lease is not in flight any more');

select tenure.complete(1, 'w', 1, '{"sent": true}');
select is((tenure.status(1)).state, 'completed', 'Completed');
select is((tenure.status(1)).output, '{"sent": true}'::jsonb, 'It tells the output');
select is((tenure.status(1)).finished_at, '2030-01-01 00:01:30.000001+00', 'It tells the end: R-012');

select add_child(1, 500);
select throws_ok('select tenure.status(500)', 'TN002', null, 'A child is no run');
select throws_ok('select tenure.status(999)', 'TN001', null, 'An unknown id is refused');
select throws_ok('select tenure.status(null)', 'TN001', null, 'NULL is no run');

select * from finish();
rollback;
