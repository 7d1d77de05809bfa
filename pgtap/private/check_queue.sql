begin;
select plan(3);
\ir ../session.psql

create function checked(p_queue_id int)
returns void
language plpgsql security definer
as $$
begin
    perform tenure_private.check_queue(p_queue_id);
end
$$;
select tenure.grant_queue('default', 'tenure_worker');
set local role tenure_client;
select throws_ok(
    'select checked(1)', 'TN018', 'the queue is not the caller''s to use', 'A queue of somebody else is refused: R-231'
);
set local role tenure_worker;
select lives_ok('select checked(1)', 'One''s own is not: R-231');
select lives_ok('select checked(null)', 'Nor is none');
reset role;

select * from finish();
rollback;
