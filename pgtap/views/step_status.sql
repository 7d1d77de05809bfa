begin;
select plan(17);
\ir ../session.psql
\ir ../steps.psql

select columns_are(
    'tenure', 'step_status',
    array[
        'step_id',
        'run_id',
        'parent_id',
        'name',
        'queue',
        'state',
        'priority',
        'scheduled_at',
        'created_at',
        'started_at',
        'finished_at',
        'attempt',
        'max_attempts',
        'timeout',
        'deadline',
        'start_within',
        'progress_timeout',
        'on_timeout',
        'lease_owner',
        'lease_expiry',
        'lease_generation',
        'heartbeat_at',
        'reclaims',
        'max_reclaims',
        'releases',
        'input',
        'output', 'error', 'error_kind', 'progress', 'progress_at', 'cancel_reason', 'headers',
        'skip_reason', 'deadline_at', 'due_at', 'paused_state', 'backoff', 'node', 'position',
        'group_attempt', 'workflow', 'workflow_version', 'waits_for'
    ],
    'Every column that is promised, and what helps beside them'
);

-- Lease columns are shown while it runs, and no longer.
select tenure.enqueue('job');
select tenure.enqueue('job', on_timeout => 'wait');
select take('w', '1 m');
select set_clock('1 s');
select tenure.heartbeat(1, 'w', 1, '{"done": 1}');
select is(
    shown(
        1, 'state', 'lease_owner', 'lease_expiry', 'lease_generation', 'started_at', 'heartbeat_at', 'progress',
        'progress_at'
    ),
    'running w 2030-01-01T00:01:01+00:00 1 2030-01-01T00:00:00+00:00 2030-01-01T00:00:01+00:00 {"done": 1}'
    ' 2030-01-01T00:00:01+00:00',
    'While it runs: who, until when, since when: R-029, R-040, R-044'
);
select tenure.cancel(1, 'why');
select is(
    shown(1, 'lease_owner', 'lease_expiry', 'lease_generation', 'started_at', 'heartbeat_at'),
    '- - 1 2030-01-01T00:00:00+00:00 2030-01-01T00:00:01+00:00', 'After: no lease, but since when it ran: R-009, R-010'
);
select tenure.cancel(2);
select is(
    shown(2, 'state', 'lease_owner', 'lease_expiry'), 'cancelled w 2030-01-01T00:01:00+00:00',
    'Under wait the lease is shown until its worker reports: R-009'
);
select tenure.complete(2, 'w', 1);
select is(shown(2, 'lease_owner', 'lease_expiry'), '- -', 'And no longer: R-009');
select is(shown(1, 'cancel_reason', 'skip_reason'), 'why -', 'The reason of a cancel');
select tenure.enqueue('job');
select take();
select tenure.skip(3, 'w', 1, 'not needed');
select is(shown(3, 'cancel_reason', 'skip_reason'), '- not needed', 'The reason of a skip');

-- In every state that a single step can leave, the lease is not shown.
select tenure.enqueue('job') from generate_series(1, 5);
select take();
select tenure.release(4, 'w', 1);
select tenure.sleep(5, 'w', 1, '1 h');
select tenure.wait_signal(6, 'w', 1, 'go');
select tenure.complete(7, 'w', 1);
select tenure.fail(8, 'w', 1, '{}', 'permanent');
select is(shown(s.step_id, 'lease_owner', 'lease_expiry'), '- -', shown(s.step_id, 'state') || ': no lease: R-009')
from generate_series(4, 8) as s (step_id);

select add_child(4, 500);
select is(shown(500, 'parent_id', 'run_id'), '4 4', 'A child tells its parent and its run');
update tenure_private.step set purging = true where step_id = 8;
select is_empty('select from tenure.step_status as s where s.step_id = 8', 'What is being purged is hidden: R-142');

-- What a step waits for.
select tenure.enqueue('waits');
create temporary table waiting as select c.step_id from tenure.claim('{default}', 'w', names => '{waits}') as c;
select tenure.wait_signal(w.step_id, 'w', 1, 'approval') from waiting as w;
select is(shown(w.step_id, 'state', 'waits_for'), 'waiting_signal approval', 'The signal that a step waits for')
from waiting as w;
select tenure.pause(w.step_id) from waiting as w;
select is(shown(w.step_id, 'state', 'waits_for'), 'paused approval', 'Also while it is paused') from waiting as w;
select tenure.resume(w.step_id) from waiting as w;
select tenure.signal(w.step_id, 'approval') from waiting as w;
select is(shown(w.step_id, 'state', 'waits_for'), 'available -', 'and no longer') from waiting as w;

select * from finish();
rollback;
