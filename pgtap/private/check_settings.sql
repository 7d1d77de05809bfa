begin;
select plan(15);

create function checked(
    p_priority int default null, p_timeout interval default null, p_deadline interval default null,
    p_max_attempts int default null, p_backoff jsonb default null, p_max_reclaims int default null,
    p_on_timeout text default null, p_start_within interval default null, p_progress_timeout interval default null,
    p_idempotency_period interval default null
)
returns text
language sql
as $$
select concat_ws(
    ' ', coalesce(s.timeout::text, '-'), coalesce(s.deadline::text, '-'), coalesce(s.max_attempts::text, '-'),
    coalesce(s.start_within::text, '-'), coalesce(s.progress_timeout::text, '-'), coalesce(s.idempotency_period::text, '-')
)
from tenure_private.check_settings(
    p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, p_max_reclaims, p_on_timeout, p_start_within,
    p_progress_timeout, p_idempotency_period
) as s
$$;

select is(checked(), '- - - - - -', 'What is not said, stays open');
select is(
    checked(-100, '1 day', '2 days', 7, '{"base": 2}', -1, 'wait', '3 days', '4 days', '5 days'),
    '24:00:00 48:00:00 7 72:00:00 96:00:00 120:00:00', 'Durations come back in pure seconds: R-026'
);
select is(checked(p_max_attempts => 0), '- - 1 - - -', 'max_attempts 0 is one: R-076');
select is(checked(p_max_attempts => -2147483648), '- - 1 - - -', 'And anything below: R-076');
select throws_ok(format('select checked(%s)', a.argument), a.code, null, format('%s is refused', a.argument))
from (
    values
    ('p_priority => 101', 'TN007'), ('p_priority => -101', 'TN007'), ('p_on_timeout => ''ABANDON''', 'TN007'),
    ('p_max_reclaims => -2', 'TN007'), ('p_backoff => ''[]''', 'TN007'), ('p_timeout => ''1 mon''', 'TN006'),
    ('p_deadline => ''1 mon''', 'TN006'), ('p_start_within => ''1 mon''', 'TN006'),
    ('p_progress_timeout => ''1 mon''', 'TN006'), ('p_idempotency_period => ''1 mon''', 'TN006')
) as a (argument, code);
select throws_ok(
    $$ select checked(p_timeout => '-1 s') $$, 'TN006', 'timeout must not be negative',
    'It says which one it was: R-144'
);

select * from finish();
rollback;
