begin;
select plan(7);
set local time zone 'UTC';

create function in_time(p_deadline_at text, p_start_by text)
returns boolean
language sql
as $$
select tenure_private.in_time(
    '2030-01-01 00:00:10+00', ('2030-01-01 ' || p_deadline_at || '+00')::timestamptz,
    ('2030-01-01 ' || p_start_by || '+00')::timestamptz
)
$$;

select is(in_time(null, null), true, 'Without limits a step is always in time');
select is(in_time('00:00:10.000001', null), true, 'Before its deadline: R-033');
select is(in_time('00:00:10', null), false, 'Not at its deadline: R-014, R-033');
select is(in_time(null, '00:00:10.000001'), true, 'Before its start_within: R-033');
select is(in_time(null, '00:00:10'), false, 'Not at its start_within: R-014, R-033');
select is(in_time('00:00:11', '00:00:09'), false, 'One of them is enough: R-033');
select is(in_time('00:00:09', '00:00:11'), false, 'Either of them: R-033');

select * from finish();
rollback;
