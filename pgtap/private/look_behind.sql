begin;
select plan(5);
\ir ../session.psql

-- Steps that are before the heads of their tracks though nobody noted it: what must never happen, found all the same.
select tenure.enqueue('lost', scheduled_at => '2029-12-31 23:00:00+00');
select tenure.enqueue('lost', scheduled_at => '2029-12-31 23:00:01+00');
select tenure.enqueue('expired', scheduled_at => '2029-12-31 23:00:00+00', deadline => '0');
select tenure.enqueue('fine');
delete from tenure_private.behind;
insert into tenure_private.head (track_id, head)
select
    t.track_id,
    '2030-01-01 00:00:00+00' as head
from tenure_private.track as t;
select is_empty(
    $$ select from tenure.claim(array['default'], 'w', 10, names => array['lost']) $$, 'Claims begin at the head: R-169'
);
select tenure_private.look_behind('2030-01-01 00:00:00+00');
select results_eq(
    'select t.name collate "default", b.scheduled_at from tenure_private.behind as b
     join tenure_private.track as t on t.track_id = b.track_id',
    $$ values ('lost', timestamptz '2029-12-31 23:00:00+00') $$,
    'One note a track, of the first that can be claimed: R-039'
);
select tenure_private.look_behind('2030-01-01 00:00:00+00');
select is((select count(*) from tenure_private.behind), 1::bigint, 'And no second one');
select is(
    (select count(*) from tenure.claim(array['default'], 'w', 10, names => array['lost'])), 2::bigint,
    'They are claimed: R-039'
);

-- The floor of the alarms.
insert into tenure_private.head (track_id, head) values (0, '2030-01-02 00:00:00+00');
update tenure_private.step as s set alarm_at = '2030-01-01 12:00:00+00' where s.step_id = 1;
select tenure_private.look_behind('2030-01-03 00:00:00+00');
select is(
    (tenure_private.newest_head(0)).head, '2029-12-31 23:00:00+00'::timestamptz + interval '1 h',
    'The floor goes back to the first alarm before it'
);

select * from finish();
rollback;
