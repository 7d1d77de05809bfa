begin;
select plan(5);

select is(tenure_private.grants(null), 'default', 'No list is the default one');
create function nobodys() returns int language sql as 'select 1';
revoke all on function nobodys() from public, postgres;
select is(
    (select tenure_private.grants(p.proacl) from pg_proc as p where p.oid = 'nobodys()'::regprocedure), 'none',
    'An empty list is no right at all'
);
select is(
    tenure_private.grants('{tenure_reader=r/tenure_owner,=r/tenure_owner,tenure_client=ar*/tenure_owner}'),
    'PUBLIC=SELECT, tenure_client=INSERT, tenure_client=SELECT*, tenure_reader=SELECT',
    'By name and right, with a mark for what may be granted on'
);
select is(
    tenure_private.grants('{tenure_client=ra/tenure_owner,tenure_reader=r/tenure_owner}'),
    tenure_private.grants('{tenure_reader=r/tenure_owner,tenure_client=ar/tenure_owner}'),
    'In one order, whatever that of the grants was'
);
select is(
    tenure_private.grants(
        -- Before 17 there is no such right.
        case
            when current_setting('server_version_num')::int < 170000 then '{tenure_owner=r/tenure_owner}'
            else '{tenure_owner=rm/tenure_owner}'
        end::aclitem[]
    ),
    'tenure_owner=SELECT', 'What owners have had of themselves since PostgreSQL 17 is no change'
);

select * from finish();
rollback;
