begin;
select plan(18);
\ir ../session.psql

-- Marks are set by hand: one that waits for transaction 3 waits for nobody. That a mark waits for open transactions
-- is shown with two sessions, in tests/races.
create function raised(
    p_head text, p_mark text, p_mark_xid text, p_now text, p_busy boolean
)
returns text
language plpgsql
as $$
declare
    v_before bigint;
    v_new tenure_private.head;
begin
    if p_head is not null then
        insert into tenure_private.head (track_id, head, mark_at, mark_xid)
        values (
            1000000, case p_head when '-' then '-infinity' else ('2030-01-01 ' || p_head || '+00')::timestamptz end,
            ('2030-01-01 ' || p_mark || '+00')::timestamptz, p_mark_xid::xid8
        );
    end if;
    v_before := coalesce((tenure_private.newest_head(1000000)).seq, 0);
    perform tenure_private.raise_head(1000000, ('2030-01-01 ' || p_now || '+00')::timestamptz, p_busy);
    v_new := tenure_private.newest_head(1000000);
    if v_new.seq is null or v_new.seq = v_before then
        return 'as it was';
    end if;
    return concat_ws(
        ' ', case when isfinite(v_new.head) then to_char(v_new.head, 'HH24:MI:SS') else v_new.head::text end,
        case when v_new.mark_at = now() and v_new.mark_xid = pg_current_xact_id() then 'marked' end
    );
end
$$;

-- The track's steps: two expired ones, one due, one later.
select tenure.enqueue('job') from generate_series(1, 4);
update tenure_private.step as s
set
    track_id = 1000000, scheduled_at = timestamptz '2030-01-01 00:00:00+00' + s.step_id * interval '10 s',
    deadline_at = case s.step_id when 1 then timestamptz '2030-01-01 00:00:15+00' end,
    start_by = case s.step_id when 2 then timestamptz '2030-01-01 00:00:25+00' end;

select is(raised(null, null, null, '00:01:00', false), 'as it was', 'Nothing was taken: no mark is worth setting');
select is(
    raised(null, null, null, '00:01:00', true), '-infinity marked', 'The first claim that takes something sets a mark'
);
select is(
    raised('-', '00:01:00', '3', '00:01:00.019', true), 'as it was', 'A mark is given twenty milliseconds'
);
select is(
    raised('00:00:05', '00:00:59', '9223372036854775807', '00:01:00', true), '00:00:05 marked',
    'A mark that came with a dump of another cluster is dropped: its transaction has not been here'
);
select is(
    raised('-', '00:00:35', '3', '00:01:00', false), '00:00:30',
    'When all have ended, the head follows, but not past a step that can be claimed: R-169'
);
select is(raised('-', '00:00:35', '3', '00:01:00', true), '00:00:30 marked', 'And a busy claim sets the next mark');
select is(raised('-', '00:00:29', '3', '00:01:00', false), '00:00:29', 'Nor past the mark');
select is(raised('-', '00:00:22', '3', '00:00:24', false), '00:00:20', 'A step in time is not passed over');
select is(raised('00:00:31', '00:00:38', '3', '00:01:00', false), '00:00:38', 'It goes on from where it was');
select is(raised('00:00:31', '00:00:25', '3', '00:01:00', false), '00:00:31', 'And never back');
select is(
    raised('00:02:00', '00:02:00', '3', '00:01:00', false), '-infinity',
    'Unless it was set before the clock was set back: R-092'
);
select is(
    raised('00:00:31', '00:02:00', '3', '00:01:00', true), '-infinity marked', 'As a mark in the future tells: R-092'
);
select is(raised('-', '00:01:00', '3', '00:01:00', true), 'as it was', 'A mark of this instant is young');
select is(raised('-', '00:00:59', '3', '00:00:59.02', false), '00:00:30', 'One of twenty milliseconds ago is not');
select is(
    raised('00:01:00', '00:00:59', '3', '00:01:00', false), '00:01:00', 'A head of this instant is not from the future'
);
insert into tenure_private.behind (track_id, scheduled_at) values (1000000, '2030-01-01 00:00:01+00');
select is(
    raised('-', '00:00:35', '3', '00:01:00', true), 'as it was', 'A note of steps behind the head comes first: R-039'
);
delete from tenure_private.behind;

-- Track 0: the alarms.
insert into tenure_private.head (track_id, head, mark_at, mark_xid)
values (0, '-infinity', '2030-01-01 00:00:20+00', '3');
select tenure_private.raise_head(0, '2030-01-01 00:01:00+00', false);
select is(
    (tenure_private.newest_head(0)).head, '2030-01-01 00:00:20+00',
    'Without an alarm before the mark the floor is the mark'
);
update tenure_private.step as s set alarm_at = '2030-01-01 00:00:25+00' where s.step_id = 1;
insert into tenure_private.head (track_id, head, mark_at, mark_xid)
values (0, '2030-01-01 00:00:20+00', '2030-01-01 00:00:30+00', '3');
select tenure_private.raise_head(0, '2030-01-01 00:01:00+00', false);
select is((tenure_private.newest_head(0)).head, '2030-01-01 00:00:25+00', 'Else the first alarm: R-167');

select * from finish();
rollback;
