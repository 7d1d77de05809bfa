begin;
select plan(12);
set local time zone 'UTC';

create function due(p_scheduled_at timestamptz, p_delay interval)
returns timestamptz
language sql
as $$ select tenure_private.due_from(p_scheduled_at, p_delay, '2030-01-01 00:00:00+00') $$;

select is(due(null, null), '2030-01-01 00:00:00+00', 'Neither: now');
select is(due(null, '0'), '2030-01-01 00:00:00+00', 'No delay: now');
select is(due(null, '1 day'), '2030-01-02 00:00:00+00', 'After the delay');
select is(due('2031-01-01 00:00:00+00', null), '2031-01-01 00:00:00+00', 'At the instant');
select is(due('1999-01-01 00:00:00+00', null), '1999-01-01 00:00:00+00', 'A past one stays past');
select is(due('2130-01-02 00:00:00+00', null), '2130-01-02 00:00:00+00', '876600 hours ahead is the last: R-027');
select throws_ok(
    $$ select due('2130-01-02 00:00:00.000001+00', null) $$, 'TN007', null, 'A microsecond more is refused: R-027'
);
select throws_ok($$ select due('infinity', null) $$, 'TN007', null, 'Never is refused: R-027');
select throws_ok($$ select due('-infinity', null) $$, 'TN007', null, 'Always is refused: R-027');
select throws_ok($$ select due('2030-01-01 00:00:00+00', '0') $$, 'TN007', null, 'Both are refused: R-133');
select throws_ok($$ select due(null, '1 mon') $$, 'TN006', null, 'A month is no delay: R-025');
select throws_ok($$ select due(null, '-1 us') $$, 'TN006', null, 'Nor is a negative one: R-025');

select * from finish();
rollback;
