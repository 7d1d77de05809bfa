begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t');
select take('w1');
select tenure.worker_hello('w1', '{default}', true, '{"pid": 7}');
select set_clock('5 s');
select is(tenure.worker_report('w1', '{"settled": 3}')::text, '', 'It answers nothing');
select is(
    (select to_jsonb(w) from tenure.worker_status as w),
    '{"owner": "w1", "queues": ["default"], "idle": false, "info": {"pid": 7}, "alive": false, "in_flight": 1,
      "hello_at": "2030-01-01T00:00:00+00:00", "report": {"settled": 3},
      "reported_at": "2030-01-01T00:00:05+00:00"}'::jsonb,
    'The report is kept, and the worker gone: R-138'
);
select is((tenure.status(1)).state, 'running', 'It moves no step: R-138');
select is((select count(*) from tenure_private.waiter), 0::bigint, 'Nobody notifies it any more');
select tenure.worker_report('w1', '{"settled": 4}');
select is((select w.report from tenure.worker_status as w), '{"settled": 4}', 'The last one counts: R-138');
select tenure.worker_report('new', null);
select is((select w.report from tenure.worker_status as w where w.owner = 'new'), null, 'From one that said no hello');
select tenure.worker_hello('w1', '{default}', false);
select is((select w.alive from tenure.worker_status as w where w.owner = 'w1'), true, 'Back again: alive');

select throws_ok($$select tenure.worker_report(null, '{}')$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.worker_report('', '{}')$$, 'TN005', null, 'An empty owner: R-147');
select throws_ok(
    $$select tenure.worker_report('w9', to_jsonb(repeat('x', 1048577)))$$, 'TN008', null, 'Over 1 MB'
);
select is((select count(*) from tenure.worker_status), 2::bigint, 'Refused, nothing is written: R-145');

select * from finish();
rollback;
