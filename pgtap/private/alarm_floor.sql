begin;
select plan(4);
set local time zone 'UTC';

select is(
    tenure_private.alarm_floor('2030-01-01 00:00:00+00'), '-infinity', 'Without a floor all alarms are looked at'
);
insert into tenure_private.head (track_id, head) values (0, '2029-01-01 00:00:00+00');
select is(
    tenure_private.alarm_floor('2030-01-01 00:00:00+00'), '2029-01-01 00:00:00+00', 'Else those from it on: R-167'
);
select is(tenure_private.alarm_floor('2029-01-01 00:00:00+00'), '2029-01-01 00:00:00+00', 'Now is not the future');
select is(
    tenure_private.alarm_floor('2028-12-31 23:59:59+00'), '-infinity',
    'A floor in the future is from before the clock was set back'
);

select * from finish();
rollback;
