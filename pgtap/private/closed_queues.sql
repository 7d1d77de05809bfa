begin;
select plan(16);
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
revoke tenure_operator from tenure_test_a;

-- Another login than a superuser.
create role tenure_test_login login;
grant tenure_test_a to tenure_test_login;
grant tenure_test_c to tenure_test_login;
create role tenure_test_both login noinherit;
grant tenure_test_a to tenure_test_both;
grant tenure_test_c to tenure_test_both;
select tenure.revoke_queue('b', 'tenure_test_b');
set session authorization tenure_test_login;
select is(closed(), '{b,default}', 'A login has its own: R-230');
set local role tenure_test_c;
select is(closed(), '{a,b,default}', 'No role that it sets takes it out of these: R-235');
set local role tenure_test_a;
select is(closed(), '{b,default}', 'With its grant''s own role it has what it has: R-235');
set session authorization tenure_test_both;
set local role tenure_test_c;
select is(closed(), '{a}', 'A login without a grant of its own is what it sets: R-235');
set local role tenure_test_a;
select is(closed(), '{b,default}', 'As one that pools others'' sessions does: R-235');
reset session authorization;
grant tenure_operator to tenure_test_login;
set session authorization tenure_test_login;
set local role tenure_test_c;
select is(closed(), '{a}', 'An operator''s login has nothing closed of its own: R-233');
reset session authorization;
select tenure.grant_queue('b', 'tenure_test_b');
update tenure_private.queue_grant as g set role = 'gone' where g.role = 'tenure_test_b';
set local role tenure_test_c;
select is(closed(), '{a,b}', 'A role that is gone keeps its queue closed: R-236');
reset role;

select * from finish();
rollback;
