begin;
set local transaction_isolation = 'repeatable read';
select plan(1);

select throws_ok($$select tenure.claim('{default}', 'w')$$, 'TN016', null, 'REPEATABLE READ is refused: R-038');

select * from finish();
rollback;
