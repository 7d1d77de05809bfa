begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t');
select take();
select is(tenure.release(1, 'v', 1), 'stale', 'Without the lease: R-049');
select is(tenure.release(1, 'w', 1), 'released', 'With it: R-072');
select is(tenure.release(1, 'w', 1), 'released', 'The same report again: R-050');
select is(shown(1) -> 'releases', '1', 'Is counted once: R-050');
select take();
select is(tenure.release(1, 'w', 1), 'stale', 'After the next claim it is stale: R-051');
select throws_ok($$select tenure.release(null, 'w', 2)$$, 'TN007', null, 'No step');
select throws_ok($$select tenure.release(1, null, 2)$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.release(1, 'w', null)$$, 'TN007', null, 'No generation');

select * from finish();
rollback;
