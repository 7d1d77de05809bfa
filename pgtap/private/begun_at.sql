begin;
select plan(1);

select is(tenure_private.begun_at(), transaction_timestamp(), 'The start of the transaction, which is before its id');

select * from finish();
rollback;
