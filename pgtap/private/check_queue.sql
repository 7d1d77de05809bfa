begin;
select plan(5);
\ir ../session.psql

create function checked(p_queue_id int, p_given text)
returns void
language plpgsql security definer
as $$
begin
    perform tenure_private.check_queue(p_queue_id, p_given);
end
$$;
select tenure.grant_queue('default', 'tenure_worker');
create function detail(p_given text)
returns text
language plpgsql
as $$
declare
    v_detail text;
begin
    perform checked(1, p_given);
exception when sqlstate 'TN018' then
    get stacked diagnostics v_detail = pg_exception_detail;
    return v_detail;
end
$$;
set local role tenure_client;
select is(detail('default'), 'Queue default.', 'It is named to who has named it: R-231');
select is(
    concat_ws(' ', detail(null), detail('other')), 'The queue that it would go to. The queue that it would go to.',
    'And to nobody else: R-231'
);
select throws_ok(
    'select checked(1, ''default'')', 'TN018', 'the queue is not the caller''s to use',
    'A queue of somebody else is refused: R-231'
);
set local role tenure_worker;
select lives_ok('select checked(1, ''default'')', 'One''s own is not: R-231');
select lives_ok('select checked(null, null)', 'Nor is none');
reset role;

select * from finish();
rollback;
