begin;
select plan(3);

select ok(
    tenure_private.clock() between now() and clock_timestamp(), 'It tells the database''s time'
);
create temporary table first as select tenure_private.clock() as at;
select ok(
    (select f.at from first as f) > now(), 'The time of the call, not of the transaction''s start: R-013'
);
select ok((select f.at from first as f) < tenure_private.clock(), 'And it moves on within a transaction: R-013');

select * from finish();
rollback;
