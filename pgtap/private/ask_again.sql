begin;
select plan(5);

create function asked(p_shares text, p_got int[])
returns int[]
language sql
as $$
-- Shares as "track wanted" of a lane of the tracks 1, 2 and 3; the tracks of the steps that came.
select array(
    select t.track_id
    from unnest(tenure_private.ask_again(
        array(
            select row(n.id, 0, '-infinity', null, 'n', 'q')::tenure_private.open_track from generate_series(1, 3) as n (id)
        ),
        array(
            select row(split_part(s.share, ' ', 1)::int, '-infinity', split_part(s.share, ' ', 2)::int)::tenure_private.share
            from regexp_split_to_table(p_shares, ', ') as s (share)
        ),
        p_got
    )) as t
    order by 1
)
$$;

select is(asked('1 2, 2 1', '{1,1,2}'), '{}', 'All that was wanted came: nobody is asked again');
select is(asked('1 2, 2 1', '{1,2}'), '{2,3}', 'One gave less than it was asked for: the others may have more');
select is(asked('1 2, 2 1', '{1,1}'), '{1,3}', 'Whichever it was');
select is(asked('1 2, 2 1', null), '{3}', 'None gave anything: those that were not asked are left');
select is(asked('1 1, 2 1, 3 1', '{}'), '{}', 'All fell short: nobody is left');

select * from finish();
rollback;
