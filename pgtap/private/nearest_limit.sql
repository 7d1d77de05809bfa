begin;
select plan(9);
\ir ../session.psql

-- Seconds after 2030-01-01 00:00:00+00; the step was started at 10.
create function nearest(p_deadline int, p_timeout int, p_progress int, p_progress_timeout int)
returns int
language sql
as $$
select extract(epoch from tenure_private.nearest_limit(
    to_timestamp(p_deadline), to_timestamp(10), p_timeout * interval '1 s', to_timestamp(p_progress),
    p_progress_timeout * interval '1 s'
))::int
$$;

select is(nearest(null, null, null, null), null, 'No limit, none near');
select is(nearest(70, null, null, null), 70, 'A deadline');
select is(nearest(null, 20, null, null), 30, 'A timeout counts from the start');
select is(nearest(null, null, null, 5), 15, 'So does the progress timeout');
select is(nearest(null, null, 40, 5), 45, 'or from the last progress');
select is(nearest(null, null, 3, 5), 15, 'which is none if it was before the start');
select is(nearest(70, 20, 40, 5), 30, 'The nearest of all');
select is(nearest(25, 20, 40, 5), 25, 'whichever it is');
select is(
    (
        select count(*)
        from generate_series(0, 60, 5) as n (now)
        cross join (values (null, null), (30, null), (null, 35), (40, 20)) as l (deadline, timeout)
        cross join (values (null, null), (15, 10), (null, 25)) as p (at, timeout)
        where (
            tenure_private.limit_passed(
                to_timestamp(n.now), to_timestamp(l.deadline), to_timestamp(10), l.timeout * interval '1 s',
                to_timestamp(p.at), p.timeout * interval '1 s'
            ) is null
        ) <> (n.now < nearest(l.deadline, l.timeout, p.at, p.timeout) is not false)
    ), 0::bigint, 'It is where limit_passed() begins to name one: R-014'
);

select * from finish();
rollback;
