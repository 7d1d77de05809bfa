begin;
select plan(3);

create role tenure_test_a nologin;
create role tenure_test_ab nologin;
create role tenure_test_aloof nologin noinherit;
grant tenure_test_a to tenure_test_ab, tenure_test_aloof;
select tenure.grant_queue('default', 'tenure_test_a');

select is(tenure_private.granted_queues('tenure_test_a'), '{1}', 'What was granted to it: R-230');
select is(tenure_private.granted_queues('tenure_test_ab'), '{1}', 'Or to a role whose rights it has: R-235');
select is(tenure_private.granted_queues('tenure_test_aloof'), null, 'NULL where that is nothing: R-235');

select * from finish();
rollback;
