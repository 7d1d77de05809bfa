begin;
select plan(10);
\ir ../session.psql

create role "tenure_test_Role" nologin;
select tenure.create_queue('mail');

select lives_ok($$select tenure.grant_queue('mail', 'tenure_test_Role')$$, 'A name as it stands in pg_roles: R-236');
select lives_ok($$select tenure.grant_queue('mail', 'tenure_test_Role')$$, 'The same again does nothing: R-236');
select lives_ok($$select tenure.grant_queue(queue => 'mail', role => 'tenure_worker')$$, 'Built-in roles can hold one');
select is(
    (
        select string_agg(format('%s: %s %s', g.queue, g.role, g.role_exists), ', ' order by g.role)
        from tenure.queue_grants as g
    ),
    'mail: tenure_test_Role t, mail: tenure_worker t', 'queue_grants lists each once'
);
select throws_ok(
    $$select tenure.grant_queue('mail', 'tenure_test_role')$$, 'TN019', 'there is no such role',
    'A role that is not there is refused: R-236'
);
select throws_ok($$select tenure.grant_queue('mail', 'public')$$, 'TN019', null, 'PUBLIC is no role: R-236');
select throws_ok($$select tenure.grant_queue('nope', 'tenure_worker')$$, 'TN003', null, 'An unknown queue: R-146');
select throws_ok($$select tenure.grant_queue('mail', null)$$, 'TN005', null, 'No role at all: R-147');
select throws_ok($$select tenure.grant_queue(null, 'tenure_worker')$$, 'TN005', null, 'No queue at all: R-147');
select is((select count(*) from tenure.queue_grants), 2::bigint, 'What was refused was not granted: R-145');

select * from finish();
rollback;
