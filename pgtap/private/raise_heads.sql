begin;
select plan(6);
\ir ../session.psql

create function marked(p_track_ids int[], p_now text, p_mark_at text default null)
returns text
language plpgsql
as $$
-- Which of the tracks 1000000 and 1000001 get a new row.
declare
    v_seq constant bigint = coalesce((select max(h.seq) from tenure_private.head as h), 0);
begin
    perform tenure_private.raise_heads(
        array(
            select row(n.id, 0, '-infinity', ('2030-01-01 ' || p_mark_at || '+00')::timestamptz, 'n', 'q')::tenure_private.open_track
            from generate_series(1000000, 1000001) as n (id)
        ),
        p_track_ids, ('2030-01-01 ' || p_now || '+00')::timestamptz
    );
    return (select string_agg(h.track_id::text, ' ' order by h.track_id) from tenure_private.head as h where h.seq > v_seq);
end
$$;

select is(marked('{}', '00:01:00'), null, 'Nothing was taken, no mark waits: nothing to do');
select is(marked(null, '00:01:00'), null, 'Nor where nothing at all was picked');
select is(
    marked('{1000001,1000001}', '00:01:00'), '1000001', 'A track from which something was taken gets a mark, once'
);
select is(
    marked('{1000000,1000001}', '00:01:00', '00:00:59.99'), null, 'One whose mark is younger than 20 ms is not asked'
);
insert into tenure_private.head (track_id, head, mark_at, mark_xid)
values (1000000, '-infinity', '2030-01-01 00:00:30+00', '3'), (1000001, '-infinity', null, null);
select is(marked('{}', '00:01:00', '00:00:30'), '1000000', 'One whose mark waits is, though nothing was taken');
select is((tenure_private.newest_head(1000000)).head, '2030-01-01 00:00:30+00', 'And follows it');

select * from finish();
rollback;
