begin;
select plan(15);
set local time zone 'UTC';

-- A step that started at 00:00:00.
create function passed(
    p_now text, p_deadline_at text, p_timeout interval, p_progress_timeout interval, p_progress_at text default null
)
returns text
language sql
as $$
select tenure_private.limit_passed(
    ('2030-01-01 ' || p_now || '+00')::timestamptz, ('2030-01-01 ' || p_deadline_at || '+00')::timestamptz,
    '2030-01-01 00:00:00+00', p_timeout, ('2030-01-01 ' || p_progress_at || '+00')::timestamptz, p_progress_timeout
)
$$;

select is(passed('23:59:59', null, null, null), null, 'NULL is no limit: R-017');
select is(passed('00:00:09.999999', '00:00:10', null, null), null, 'A microsecond before the deadline: R-014');
select is(passed('00:00:10', '00:00:10', null, null), 'deadline', 'At the deadline it has passed: R-014');
select is(passed('00:00:09.999999', null, '10 s', null), null, 'A microsecond before the timeout: R-014');
select is(passed('00:00:10', null, '10 s', null), 'timeout', 'At the timeout: R-014, R-015');
select is(passed('00:00:10', null, null, '10 s'), 'progress', 'Without progress it counts from the start: R-020');
select is(passed('00:00:19.999999', null, null, '10 s', '00:00:10'), null, 'Else from the progress: R-020');
select is(passed('00:00:20', null, null, '10 s', '00:00:10'), 'progress', 'Until then: R-020');
select is(
    tenure_private.limit_passed(
        '2030-01-01 00:00:12+00', null, '2030-01-01 00:00:05+00', null, '2030-01-01 00:00:01+00', '10 s'
    ),
    null, 'Progress of an earlier execution does not count: R-020'
);
select is(passed('00:00:00', null, '0', null), 'timeout', 'A timeout of 0 has passed at once: R-017');
select is(passed('00:00:00', '00:00:00', null, null), 'deadline', 'So has a deadline: R-017');
select is(passed('00:00:00', null, null, '0'), 'progress', 'And a progress_timeout: R-017');
select is(passed('01:00:00', '00:00:30', '10 s', '5 s'), 'deadline', 'The deadline comes first: R-022');
select is(
    passed('01:00:00', null, '10 s', '5 s'), 'timeout', 'Then the timeout, though progress had passed before: R-022'
);
select is(passed('00:00:20', '00:00:30', '10 s', '5 s'), 'timeout', 'A deadline to come does not matter: R-022');

select * from finish();
rollback;
