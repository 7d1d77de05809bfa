begin;
select plan(5);

create function seen() returns name language sql security definer as $$ select tenure_private.caller() $$;
create role tenure_test_login login;
create role tenure_test_set nologin;
grant tenure_test_set to tenure_test_login;
select is(seen(), session_user, 'Without SET ROLE it is who logged in: R-235');
set local role tenure_test_set;
select is(seen(), 'tenure_test_set', 'After SET ROLE that one, in SECURITY DEFINER too: R-235');
set session authorization tenure_test_login;
select is(seen(), 'tenure_test_login', 'SET SESSION AUTHORIZATION is a new login: R-235');
set local role tenure_test_set;
select is(seen(), 'tenure_test_set', 'In which a role may be set: R-235');
set local role none;
select is(seen(), 'tenure_test_login', 'And unset: R-235');
reset session authorization;

select * from finish();
rollback;
