begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql

create function landed(p_step_ids bigint[], p_outcome jsonb, p_outputs jsonb[], p_verb text, p_owner text)
returns void
language sql
as $$
select tenure_private.land(
    p_step_ids, p_outputs, jsonb_populate_record(null::tenure_private.outcome, p_outcome), tenure_private.clock(), p_verb, p_owner
)
$$;

select tenure.enqueue('job', deadline => '1 h') from generate_series(1, 6);
select take('w', '1 m');
select set_clock('1 s');

select landed('{1,2}', '{"verdict": "completed", "state": "completed"}', array['1', null]::jsonb[], 'complete', 'w');
select
    is(
        shown(
            s.step_id,
            'state',
            'output',
            'finished_at',
            'lease_owner',
            'lease_expiry',
            'alarm_at',
            'attempt',
            'started_at',
            'reported'
        ),
        format(
            'completed %s 2030-01-01T00:00:01+00:00 - - - 1 2030-01-01T00:00:00+00:00 complete completed w',
            case s.step_id when 1 then '1' else '-' end
        ),
        'Ended: its own output, no lease, no alarm, the report kept: R-009, R-010, R-011, R-012, R-053'
    )
from generate_series(1, 2) as s (step_id);

select landed(
    '{3}', '{"verdict": "retrying", "state": "available", "attempt": 2, "scheduled_at": "2030-01-01T00:10:00+00:00",
    "error": {"type": "E"}, "error_kind": "retryable"}', null, 'fail', 'w'
);
select is(
    shown(3, 'state', 'attempt', 'scheduled_at', 'error', 'error_kind', 'finished_at', 'lease_owner', 'alarm_at'),
    'available 2 2030-01-01T00:10:00+00:00 {"type": "E"} retryable - - 2030-01-01T01:00:00+00:00',
    'Not ended: what the outcome names is changed, the alarm is the deadline'
);
select set_clock('10 m');
select count(*) from tenure.claim(array['default'], 'x', 1, '1 m');
select landed('{3}', '{"verdict": "released", "state": "available", "releases": 7}', null, 'release', 'x');
select is(
    shown(3, 'attempt', 'scheduled_at', 'error', 'error_kind', 'releases', 'reclaims'),
    '2 2030-01-01T00:10:00+00:00 {"type": "E"} retryable 7 0', 'What it does not name stays: R-066, R-072'
);
select count(*) from tenure.claim(array['default'], 'x', 1, '1 m');
select landed('{3}', '{"verdict": "completed", "state": "completed"}', array['1']::jsonb[], 'complete', 'x');
select is(shown(3, 'error', 'error_kind'), '- -', 'Success clears an earlier attempt''s error: R-053');

select landed(
    '{4}', '{"verdict": "cancelled", "state": "cancelled", "reason": "why", "keeps_lease": true}', null, null, null
);
select is(
    (
        select concat_ws(' ', s.state, s.reason, s.lease_owner, s.lease_expiry, s.reported)
        from tenure_private.step as s
        where s.step_id = 4
    ),
    'cancelled why w 2030-01-01 00:01:00+00', 'From outside: the lease may stay, and no report is kept: R-098'
);

update tenure_private.step set pausing = true where step_id in (5, 6);
select landed(
    '{5}', '{"verdict": "sleeping", "state": "waiting_timer", "due_at": "2030-01-01T01:00:00+00:00"}', null, 'sleep',
    'w'
);
select is(
    shown(5, 'state', 'paused_state', 'paused_at', 'due_at', 'alarm_at', 'pausing', 'waited'),
    'paused waiting_timer 2030-01-01T00:10:00+00:00 2030-01-01T01:00:00+00:00 - false true',
    'In a paused run: paused in place of what is not terminal: R-113'
);
select landed('{6}', '{"verdict": "skipped", "state": "skipped", "reason": "why"}', null, 'skip', 'w');
select is(
    shown(6, 'state', 'paused_state', 'skip_reason', 'pausing'), 'skipped - why false', 'But an end is an end: R-113'
);
select throws_ok(
    $$ select landed(
        '{1,99}', '{"verdict": "completed", "state": "completed"}',
        array['1', '1']::jsonb[], 'complete', 'w') $$,
    'XX000', null, 'A step that is not there is a defect, not a silence'
);
select is(shown(6, 'paused_at'), '-', 'It was never paused');
select is(shown(3, 'paused_at', 'waited'), '- false', 'Nor was what landed outside a pause; and it waited for nothing');

select * from finish();
rollback;
