begin;
select plan(5);

-- Around a string jsonb has 12 bytes.
select is(tenure_private.document_size(null), null, 'NULL has none');
select is(tenure_private.document_size(to_jsonb(repeat('x', 8192 - 12))), 8192, 'A document of the call');
create temporary table stored (document jsonb);
insert into stored (document) values (to_jsonb(repeat('x', 1048576 - 12)));
select ok((select pg_column_size(s.document) from stored as s) < 20000, 'One from a table is compressed there');
select is(
    (select tenure_private.document_size(s.document) from stored as s), 1048576, 'And is as large as it is: R-149'
);
select throws_ok(
    $$ select tenure.enqueue('job', (select jsonb_build_array(s.document, 'x') from stored as s)) $$, 'TN008', null,
    'So nothing too large comes in from a table: R-149'
);

select * from finish();
rollback;
