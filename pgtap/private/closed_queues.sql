begin;
select plan(10);
\ir ../session.psql

create function closed()
returns text[]
language sql security definer
as $$
select coalesce(array_agg(q.name::text order by q.name), '{}')
from tenure_private.queue as q
where q.queue_id = any(tenure_private.closed_queues())
$$;
create role tenure_test_a nologin;
create role tenure_test_b nologin;
create role tenure_test_c nologin;
create role tenure_test_ab nologin;
grant tenure_test_a to tenure_test_ab;
grant tenure_test_b to tenure_test_ab;
select tenure.create_queue(u.name) from unnest(array['a', 'b']) as u (name);

set local role tenure_test_a;
select is(closed(), '{}', 'Without any grant nothing is closed: R-230');
reset role;
select tenure.grant_queue('a', 'tenure_test_a');
select tenure.grant_queue('b', 'tenure_test_b');
set local role tenure_test_a;
select is(closed(), '{b,default}', 'All but one''s own: R-230');
set local role tenure_test_ab;
select is(closed(), '{default}', 'Grants of several roles add up: R-235');
set local role tenure_test_c;
select is(closed(), '{a,b}', 'To others, what was granted: R-230');
set local role tenure_operator;
select is(closed(), '{}', 'Nothing to operators: R-233');
set local role tenure_owner;
select is(closed(), '{}', 'Nor to the owner: R-233');
reset role;
select is(closed(), '{}', 'Nor to a superuser: R-233');
create role tenure_test_aloof nologin noinherit;
grant tenure_test_a to tenure_test_aloof;
set local role tenure_test_aloof;
select is(closed(), '{a,b}', 'Who does not inherit a role''s rights has none of its grants: R-235');
reset role;
grant tenure_operator to tenure_test_a;
set local role tenure_test_a;
select is(closed(), '{}', 'An operator with a grant is an operator: R-233');
reset role;
update tenure_private.queue_grant as g set role = 'gone' where g.role = 'tenure_test_b';
set local role tenure_test_c;
select is(closed(), '{a,b}', 'A role that is gone keeps its queue closed: R-236');
reset role;

select * from finish();
rollback;
