begin;
select plan(8);
set local time zone 'UTC';

create function head_of(p_track_id int)
returns text
language sql
as $$
select to_char((tenure_private.newest_head(p_track_id)).head, 'HH24:MI:SS')
$$;

insert into tenure_private.head (track_id, head, mark_at, mark_xid)
values
(1000000, '2030-01-01 00:01:00+00', '2030-01-01 00:02:00+00', '3'), (1000001, '2030-01-01 00:01:00+00', null, null),
(1000002, '2030-01-01 00:01:00+00', null, null);
insert into tenure_private.behind (track_id, scheduled_at)
values
(1000000, '2030-01-01 00:00:30+00'), (1000000, '2030-01-01 00:00:20+00'), (1000000, '2030-01-01 00:00:40+00'),
(1000001, '2030-01-01 00:03:00+00'), (1000003, '2030-01-01 00:00:05+00');
select tenure_private.fold_behind();
select is(head_of(1000000), '00:00:20', 'The head goes back to the earliest step behind it: R-039');
select is(
    (tenure_private.newest_head(1000000)).mark_at, null, 'Its mark is dropped: a new one waits for whoever noted'
);
select is(head_of(1000001), '00:01:00', 'A note after the head does not raise it');
select is(head_of(1000002), '00:01:00', 'Where nothing was noted, nothing changes');
select is((select count(*) from tenure_private.head as h where h.track_id = 1000002), 1::bigint, 'Not even a row');
select is((tenure_private.newest_head(1000003)).head, '-infinity', 'Without a head the track is read from its start');
select is_empty('table tenure_private.behind', 'The notes are gone');
select tenure_private.fold_behind();
select is(
    (select count(*) from tenure_private.head as h where h.track_id = 1000000), 2::bigint,
    'A second pass has nothing to do'
);

select * from finish();
rollback;
