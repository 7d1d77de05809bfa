begin;
select plan(7);
set local time zone 'UTC';

create function due(p_chore int, p_now text)
returns boolean
language sql
as $$
select tenure_private.chore_due(p_chore, ('2030-01-01 ' || p_now || '+00')::timestamptz, '30 s')
$$;

select is(due(-1000, '00:00:10'), true, 'The first time');
select is(due(-1000, '00:00:10'), false, 'Not twice at one instant');
select is(due(-1000, '00:00:39.999999'), false, 'Not again within the period');
select is(due(-1000, '00:00:40'), true, 'But after it');
select is(due(-1000, '00:00:09'), true, 'And when the clock was set back');
select is(due(-1001, '00:00:09'), true, 'Each chore for itself');
insert into tenure_private.head (track_id, head, mark_at)
values (-1002, '2030-01-01 00:00:00+00', '2030-01-01 00:00:00+00');
select due(-1002, '00:01:00');
select is((tenure_private.newest_head(-1002)).head, '2030-01-01 00:00:00+00', 'Where the chore had come to is kept');

select * from finish();
rollback;
