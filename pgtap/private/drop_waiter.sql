begin;
select plan(3);
\ir ../session.psql

select tenure.worker_hello('a', array['default'], true);
select tenure.worker_hello('b', array['default'], true);
select tenure_private.drop_waiter('b');
select is(
    (
        select string_agg(w.owner, ' ')
        from tenure_private.waiter as l
        join tenure_private.worker as w on w.waiter_id = l.waiter_id
    ),
    'a', 'Its row is gone, and no other'
);
select tenure_private.drop_waiter('b');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'Again it has none');
select tenure_private.drop_waiter('nobody');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'Nor has one who never said hello');

select * from finish();
rollback;
