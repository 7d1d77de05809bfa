begin;
select plan(28);
set local time zone 'UTC';

create function alarm(
    p_state text, p_lease text default null, p_on_timeout text default 'abandon', p_timeout interval default null,
    p_progress text default null, p_progress_timeout interval default null, p_deadline text default null,
    p_start_by text default null, p_due text default null
)
returns text
language sql
as $$
-- At 00:00:10, of a step that started at 00:00:05.
select to_char(tenure_private.next_alarm(
    '2030-01-01 00:00:10+00', p_state, ('2030-01-01 ' || p_lease || '+00')::timestamptz, p_on_timeout,
    '2030-01-01 00:00:05+00', p_timeout, ('2030-01-01 ' || p_progress || '+00')::timestamptz, p_progress_timeout,
    ('2030-01-01 ' || p_deadline || '+00')::timestamptz, ('2030-01-01 ' || p_start_by || '+00')::timestamptz,
    ('2030-01-01 ' || p_due || '+00')::timestamptz
), 'HH24:MI:SS')
$$;

select is(alarm('running', '00:01:00'), '00:01:00', 'Running: the end of the lease');
select is(alarm('running', '00:01:00', p_timeout => '20 s'), '00:00:25', 'Or the timeout');
select is(
    alarm('running', '00:01:00', p_progress_timeout => '20 s'), '00:00:25', 'Or the progress_timeout, from the start'
);
select is(
    alarm('running', '00:01:00', p_progress => '00:00:09', p_progress_timeout => '20 s'), '00:00:29',
    'or the last progress'
);
select is(
    alarm('running', '00:01:00', p_progress => '00:00:01', p_progress_timeout => '20 s'), '00:00:25',
    'of this execution, no earlier one'
);
select is(alarm('running', '00:01:00', p_deadline => '00:00:30'), '00:00:30', 'Or the deadline');
select is(
    alarm('running', '00:01:00', 'wait', '20 s', null, '20 s'), '00:01:00', 'Under wait the limits ring no alarm: R-095'
);
select is(alarm('running', '00:01:00', 'wait', p_deadline => '00:00:30'), '00:00:30', 'But the deadline does: R-097');
select is(
    alarm('running', '00:01:00', p_start_by => '00:00:20'), '00:01:00', 'start_within is over once it runs: R-019'
);
select is(alarm('available'), null, 'Available: nothing, without limits');
select is(alarm('available', p_deadline => '00:00:30', p_start_by => '00:00:20'), '00:00:20', 'Else the first of them');
select is(alarm('available', p_timeout => '20 s'), null, 'A timeout does not run then: R-015');
select is(alarm('waiting_timer', p_due => '00:00:20'), '00:00:20', 'Asleep: the end of the sleep');
select is(alarm('waiting_timer', p_due => '00:00:20', p_deadline => '00:00:15'), '00:00:15', 'Or the deadline');
select is(alarm('waiting_signal', p_due => '00:00:20'), '00:00:20', 'Waiting: its time-out');
select is(alarm('waiting_signal'), null, 'or nothing: R-125');
select is(alarm('pending', p_deadline => '00:00:30'), '00:00:30', 'Pending: the deadline');
select is(alarm('waiting_steps', p_deadline => '00:00:30'), '00:00:30', 'A group: the deadline');
select
    is(
        alarm(s.state, '00:01:00', 'abandon', '20 s', null, '20 s', '00:00:30', '00:00:30', '00:00:30'), null,
        format('%s: nothing: R-011, R-112', s.state)
    )
from (values ('paused'), ('completed'), ('skipped'), ('discarded'), ('cancelled')) as s (state);
select is(
    alarm('running', '00:00:07', p_deadline => '00:00:06'), '00:00:10', 'What has passed rings now, never in the past'
);
select is(
    alarm('running', '00:01:00', p_timeout => '30 s', p_progress_timeout => '20 s'), '00:00:25',
    'Of two limits the nearer'
);
select is(
    alarm('running', '00:01:00', p_timeout => '20 s', p_progress_timeout => '30 s'), '00:00:25', 'Whichever it is'
);
select is(
    alarm('waiting_signal', p_due => '00:00:20', p_deadline => '00:00:15'), '00:00:15', 'A wait ends with the deadline'
);
select is(alarm('waiting_signal', p_due => '00:00:20', p_deadline => '00:00:25'), '00:00:20', 'Or before it');

select * from finish();
rollback;
