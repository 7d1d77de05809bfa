begin;
select plan(9);
\ir ../session.psql
\ir ../steps.psql

select is_empty('select from tenure.worker_status', 'Who never said hello is not shown');
select tenure.worker_hello('w', array['default', 'io'], false, '{"host": "h"}');
select is(
    (select to_jsonb(w) from tenure.worker_status as w),
    '{"owner": "w", "queues": ["default", "io"], "idle": false, "info": {"host": "h"},
      "hello_at": "2030-01-01T00:00:00+00:00", "alive": true, "in_flight": 0, "report": null,
      "reported_at": null}'::jsonb,
    'Who said hello'
);
select tenure.enqueue('job') from generate_series(1, 3);
select count(*) from tenure.claim(array['default'], 'w', 2);
select count(*) from tenure.claim(array['default'], 'silent', 1);
select is((select w.in_flight from tenure.worker_status as w), 2::bigint, 'in_flight: what runs under its leases');
select set_clock('14.999999 s');
select is((select w.alive from tenure.worker_status as w), true, 'A hello is worth 15 seconds: R-136');
select set_clock('15 s');
select is((select w.alive from tenure.worker_status as w), false, 'And no more: R-136');
select tenure.worker_hello('w', array['default'], true);
select is(
    (select concat_ws(' ', w.alive, w.idle, w.queues, w.info, w.hello_at) from tenure.worker_status as w),
    't t {default} {"host": "h"} 2030-01-01 00:00:15+00', 'Each hello tells anew; what it leaves out, stays'
);
select tenure.worker_report('w', '{"settled": [1]}');
select is(
    (select concat_ws(' ', w.alive, w.idle, w.report, w.reported_at) from tenure.worker_status as w),
    'f f {"settled": [1]} 2030-01-01 00:00:15+00', 'Its last report marks it as gone: R-138'
);
select is((select w.in_flight from tenure.worker_status as w), 2::bigint, 'And moves no step: R-138');
select tenure.worker_report('x"; --', '1');
select is((select count(*) from tenure.worker_status), 2::bigint, 'A report without a hello is kept too');

select * from finish();
rollback;
