begin;
select plan(8);
set local time zone 'UTC';

create function left_of(p_now text, p_deadline_at text, p_timeout interval)
returns interval
language sql
as $$
select tenure_private.time_left(
    ('2030-01-01 ' || p_now || '+00')::timestamptz, ('2030-01-01 ' || p_deadline_at || '+00')::timestamptz,
    '2030-01-01 00:00:00+00', p_timeout
)
$$;

select is(left_of('00:00:04', null, null), null, 'Without a limit there is no time left to tell: R-031');
select is(left_of('00:00:04', null, '10 s'), '6 s', 'Until the timeout');
select is(left_of('00:00:04', '00:00:08', null), '4 s', 'Until the deadline');
select is(left_of('00:00:04', '00:00:08', '10 s'), '4 s', 'The nearer of the two: R-031');
select is(left_of('00:00:04', '00:00:18', '10 s'), '6 s', 'Whichever it is: R-031');
select is(left_of('00:00:10', null, '10 s'), '0 s', 'At the limit: none');
select is(left_of('00:01:00', '00:00:18', '10 s'), '0 s', 'Past it: none, never less: R-031');
select is(left_of('00:00:00', null, '0'), '0 s', 'A timeout of 0: none');

select * from finish();
rollback;
