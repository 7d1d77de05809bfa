begin;
select plan(20);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t');
select tenure.enqueue('t');
select take();
select is(tenure.checkpoint(1, 'w', 1, 'page', null), null, 'Nothing noted yet: R-061');
select is(tenure.checkpoint(1, 'w', 1, 'page', '{"n": 1}'), '{"n": 1}', 'The first write wins: R-060');
select is(tenure.checkpoint(1, 'w', 1, 'page', '{"n": 2}'), '{"n": 1}', 'The second does not: R-060');
select is(tenure.checkpoint(1, 'w', 1, 'page'), '{"n": 1}', 'SQL NULL only reads: R-061');
select is(tenure.checkpoint(1, 'w', 1, 'other', 'null'), 'null', 'JSON null is a value: R-061');
select is(tenure.checkpoint(2, 'w', 1, 'page'), null, 'Of another step nothing is seen');

-- Over attempts, reclaims and owners.
select tenure.fail(1, 'w', 1, '"e"', retry_after => '0');
select take('v');
select is(tenure.checkpoint(1, 'v', 2, 'page', '{"n": 3}'), '{"n": 1}', 'It survives attempts: R-060');

-- Without the lease.
select throws_ok($$select tenure.checkpoint(1, 'w', 1, 'page')$$, 'TN014', null, 'An old generation: R-060');
select throws_ok($$select tenure.checkpoint(1, 'w', 2, 'page')$$, 'TN014', null, 'Another owner: R-060');
select throws_ok($$select tenure.checkpoint(1, 'v', 3, 'page')$$, 'TN014', null, 'One to come: R-060');
select throws_ok($$select tenure.checkpoint(999, 'v', 1, 'page')$$, 'TN014', null, 'No such step: R-060');
select tenure.complete(1, 'v', 2);
select throws_ok($$select tenure.checkpoint(1, 'v', 2, 'new', '1')$$, 'TN014', null, 'After the end: R-060');
select is(
    (select count(*) from tenure_private.checkpoint as c where c.step_id = 1), 2::bigint,
    'Nothing more was noted: R-145'
);

select throws_ok($$select tenure.checkpoint(2, 'w', 1, null, '1')$$, 'TN005', null, 'No key: R-147');
select throws_ok($$select tenure.checkpoint(2, 'w', 1, '', '1')$$, 'TN005', null, 'An empty key: R-147');
select throws_ok($$select tenure.checkpoint(2, null, 1, 'k', '1')$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.checkpoint(null, 'w', 1, 'k', '1')$$, 'TN007', null, 'No step');
select throws_ok($$select tenure.checkpoint(2, 'w', null, 'k', '1')$$, 'TN007', null, 'No generation');
select throws_ok(
    $$select tenure.checkpoint(2, 'w', 1, 'k', to_jsonb(repeat('x', 1048577)))$$, 'TN008', null, 'Over 1 MB: R-149'
);
select is(
    (select c.value from tenure_private.checkpoint as c where c.step_id = 2), null, 'Nothing was noted: R-145'
);

select * from finish();
rollback;
