begin;
select plan(8);
\ir ../session.psql

create role tenure_test_gone nologin;
select tenure.create_queue('mail');
select tenure.grant_queue('mail', 'tenure_worker');
select tenure.grant_queue('mail', 'tenure_test_gone');

select lives_ok($$select tenure.revoke_queue('mail', 'tenure_worker')$$, 'A grant is taken back');
select set_eq('select g.role from tenure.queue_grants as g', array['tenure_test_gone'], 'That one and no other');
select lives_ok($$select tenure.revoke_queue('mail', 'tenure_worker')$$, 'Without a grant nothing happens');
drop role tenure_test_gone;
select lives_ok($$select tenure.revoke_queue('mail', 'tenure_test_gone')$$, 'Also from a role that is gone: R-236');
select throws_ok(
    $$select tenure.revoke_queue('mail', 'tenure_test_gone')$$, 'TN019', 'there is no such role',
    'A name that is neither a role nor was granted anything is refused: R-236'
);
select throws_ok($$select tenure.revoke_queue('nope', 'tenure_worker')$$, 'TN003', null, 'An unknown queue: R-146');
select throws_ok($$select tenure.revoke_queue('mail', '')$$, 'TN005', null, 'No role: R-147');
select is_empty('select from tenure.queue_grants', 'Nothing is left');

select * from finish();
rollback;
