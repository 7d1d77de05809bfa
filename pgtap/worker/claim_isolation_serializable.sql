begin;
set local transaction_isolation = 'serializable';
select plan(1);

select throws_ok($$select tenure.claim('{default}', 'w')$$, 'TN016', null, 'SERIALIZABLE is refused: R-038');

select * from finish();
rollback;
