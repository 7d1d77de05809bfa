begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql

-- What comes out of a table is still compressed when the function gets it; what counts is the document itself.
create table stored (size int, document jsonb);
insert into stored (size, document)
select
    n.size,
    jsonb_build_object('v', repeat('x', n.size)) as document
from unnest(array[3000, 20000, 2000000, 20000000]) as n (size);
select is_empty(
    $$select s.size from stored as s where pg_column_compression(s.document) is null$$, 'They are compressed'
);

select tenure.enqueue('t');
select take();
select throws_ok(format(c.call, s.document_of), 'TN008', null, format('Refused: %s, R-149', c.call))
from (
    values
    (2000000, 'select tenure.enqueue(''t'', %s)'),
    (2000000, 'select tenure.enqueue(''t'', headers => %s)'),
    (2000000, 'select tenure.define_step(''t'', headers => %s)'),
    (20000000, 'select tenure.complete(1, ''w'', 1, %s)'),
    (20000, 'select tenure.heartbeat(1, ''w'', 1, %s)'),
    (2000000, 'select tenure.checkpoint(1, ''w'', 1, ''k'', %s)'),
    (2000000, 'select tenure.signal(1, ''s'', %s)'),
    (2000000, 'select tenure.worker_hello(''w'', array[''default''], true, %s)'),
    (2000000, 'select tenure.worker_report(''w'', %s)')
) as c (size, call)
cross join lateral format('(select s.document from stored as s where s.size = %s)', c.size) as s (document_of);

select tenure.fail(1, 'w', 1, (select s.document from stored as s where s.size = 20000000), kind => 'permanent');
select cmp_ok(
    (select octet_length(s.error::text) from tenure.step_status as s where s.step_id = 1), '<=', 65536,
    'An error is cut: R-056'
);

select * from finish();
rollback;
