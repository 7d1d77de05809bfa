begin;
select plan(4);

create role tenure_test_member nologin;
grant tenure_operator to tenure_test_member;
select ok(tenure_private.may_use_all('tenure_owner'), 'The owner: R-233');
select ok(tenure_private.may_use_all('tenure_test_member'), 'Whoever has operators'' rights: R-233');
select ok(tenure_private.may_use_all(session_user), 'A superuser: R-233');
select ok(not tenure_private.may_use_all('tenure_worker'), 'Nobody else: R-233');

select * from finish();
rollback;
