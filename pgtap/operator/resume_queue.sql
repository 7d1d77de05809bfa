begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql

select tenure.create_queue('other');
select tenure.pause_queue('default');
select tenure.pause_queue('other');
select tenure.enqueue('job');
select tenure.worker_hello('w', array['default'], true);
select tenure.resume_queue('default');
select is((select q.paused_at from tenure.queue_status as q where q.queue = 'default'), null, 'It is paused no more');
select is_empty('table tenure_private.waiter', 'A waiting worker was told: R-135');
select
    isnt(
        (select q.paused_at from tenure.queue_status as q where q.queue = 'other'), null, 'Another queue stays paused'
    );
select is(take(), 1::bigint, 'Its steps can be claimed: R-111');
select lives_ok($$ select tenure.resume_queue('default') $$, 'A queue that is not paused can be resumed');
select lives_ok($$ select tenure.resume_queue('other') $$, 'So can one that never had a step');
select throws_ok($$ select tenure.resume_queue('nowhere') $$, 'TN003', null, 'An unknown queue is refused: R-146');
select throws_ok('select tenure.resume_queue(null)', 'TN005', null, 'NULL too');

select * from finish();
rollback;
