begin;
select plan(14);
\ir ../session.psql

-- One lane: a, b and heavy share a quota of 4, both needs another one besides, plain none. One step each second, in turn.
select tenure.set_quota('http', 4);
select tenure.set_quota('disk', 1);
select tenure.define_step('a', quota => 'http');
select tenure.define_step('b', quota => 'http');
select tenure.define_step('heavy', quota => 'http', quota_units => 3);
create temporary table track_of as
select
    n.name,
    tenure_private.find_track(
        (tenure_private.find_queue('default')).queue_id, 0, n.name,
        case n.name
            when 'both' then array(select q.quota_id from tenure_private.quota as q order by q.quota_id)
            when 'plain' then null
            else array[(tenure_private.find_quota('http')).quota_id]
        end,
        case n.name when 'heavy' then 3 when 'plain' then null else 1 end
    ) as track_id
from unnest('{a, b, heavy, both, plain}'::text[]) as n (name);

create function add_step(p_name text, p_second int)
returns void
language sql
as $$
select tenure.enqueue(p_name, scheduled_at => '2029-01-01 00:00:00+00'::timestamptz + p_second * interval '1 s');
update tenure_private.step as s
set track_id = k.track_id
from track_of as k
where k.name = p_name and s.step_id = currval('tenure_private.step_id_seq');
$$;

create function shares(p_room int, p_names text[], p_picked text[] default '{}')
returns text
language sql
as $$
select string_agg(format('%s %s', k.name, s.wanted), ', ' order by k.name)
from unnest(tenure_private.ration(
    array(
        select row(t.track_id, 0, '-infinity', null, t.name, 'default')::tenure_private.open_track
        from tenure_private.track as t
        join track_of as k on k.track_id = t.track_id
        where k.name = any(p_names)
    ),
    row(
        array(
            select s.step_id
            from unnest(p_picked) with ordinality as p (name, n)
            join track_of as k on k.name = p.name
            cross join lateral (
                select s.step_id from tenure_private.step as s where s.track_id = k.track_id
                order by s.scheduled_at offset (select count(*) from unnest(p_picked[: p.n::int - 1]) as b (name) where b.name = p.name) limit 1
            ) as s
        ),
        array(select k.track_id from unnest(p_picked) as p (name) join track_of as k on k.name = p.name)
    )::tenure_private.picked,
    p_room, '2030-01-01 00:00:00+00'
)) as s
join track_of as k on k.track_id = s.track_id
$$;

select add_step(n.name, g.n * 3 + n.place)
from generate_series(0, 9) as g (n)
cross join (values ('a', 0), ('b', 1), ('plain', 2)) as n (name, place)
order by g.n, n.place;
select is(shares(1, '{a, b, plain}'), 'a 1', 'The first of all');
select is(shares(3, '{a, b, plain}'), 'a 1, b 1, plain 1', 'The first three');
select is(shares(5, '{a, b, plain}'), 'a 2, b 2, plain 1', 'The first five: as many as the quota has room for');
select is(
    shares(9, '{a, b, plain}'), 'a 2, b 2, plain 5', 'What has no room stands in no other''s way: R-465'
);
select is(shares(100, '{a}'), 'a 4', 'A single name, as far as there is room: R-463');
select is(shares(100, '{a, b}'), 'a 2, b 2', 'Of two names that share a quota the earliest: R-466');
select is(shares(100, '{a, b}', '{a, b}'), 'a 1, b 1', 'What the claim has picked already counts: R-463');
select is(shares(100, '{a, b}', '{a, a, b, b}'), null, 'Up to nothing');
select add_step('heavy', -1);
select add_step('heavy', -2);
select is(shares(100, '{a, b, heavy}'), 'a 1, heavy 1', 'Units count: three, then one: R-463, R-466');
select is(
    shares(100, '{a, b, heavy}', '{a, b}'),
    'a 1, b 1',
    'A step that needs more than there is lets the next ones by: R-465'
);
select add_step('both', -3);
select add_step('both', -4);
select is(shares(100, '{both, a}'), 'a 3, both 1', 'Several quotas: the tightest counts, and both are used: R-470');
select is(shares(100, '{both, plain}', '{both}'), 'plain 10', 'Where one is used up, the other is not touched: R-470');
update tenure_private.quota set capacity = 0 where name = 'http';
select is(shares(100, '{a, b, both, plain}'), 'plain 10', 'No room at all');
select is(shares(100, '{a}'), null, 'Nothing for anyone');

select * from finish();
rollback;
