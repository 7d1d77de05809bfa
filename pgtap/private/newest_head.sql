begin;
select plan(4);
set local time zone 'UTC';

select is((tenure_private.newest_head(1000000)).head, null, 'A track without a head has none');
insert into tenure_private.head (track_id, head)
values (1000000, '2030-01-02 00:00:00+00'), (1000000, '2030-01-01 00:00:00+00'), (1000001, '2030-01-03 00:00:00+00');
select is(
    (tenure_private.newest_head(1000000)).head, '2030-01-01 00:00:00+00',
    'The row that was appended last, not the highest'
);
select is((tenure_private.newest_head(1000001)).head, '2030-01-03 00:00:00+00', 'Of that track alone');
select is((tenure_private.newest_head(1000002)).head, null, 'And no other');

select * from finish();
rollback;
