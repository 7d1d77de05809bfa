begin;
select plan(11);
\ir ../session.psql

-- One lane of three names: a has a step each second, b every other second, c one that is not due and one expired.
select tenure.enqueue('a', scheduled_at => timestamptz '2029-01-01 00:00:00+00' + g.n * interval '1 s')
from generate_series(0, 9) as g (n);
select tenure.enqueue('b', scheduled_at => timestamptz '2029-01-01 00:00:00.5+00' + g.n * interval '2 s')
from generate_series(0, 4) as g (n);
select tenure.enqueue('c', delay => '1 h');
select tenure.enqueue('c', scheduled_at => '2028-01-01 00:00:00+00', deadline => '0');

create function shares(p_room int, p_names text[], p_picked bigint[] default '{}')
returns text
language sql
as $$
select string_agg(format('%s %s', t.name, s.wanted), ', ' order by t.name)
from unnest(tenure_private.share_out(
    tenure_private.open_tracks('{default}', p_names, '2030-01-01 00:00:00+00'), p_picked, p_room,
    '2030-01-01 00:00:00+00'
)) as s
join tenure_private.track as t on t.track_id = s.track_id
$$;

select is(shares(1, '{a,b,c}'), 'a 1', 'The first of all');
select is(shares(2, '{a,b,c}'), 'a 1, b 1', 'The first two: one of each');
select is(shares(3, '{a,b,c}'), 'a 2, b 1', 'The first three');
select is(shares(6, '{a,b,c}'), 'a 4, b 2', 'The first six');
select is(shares(100, '{a,b,c}'), 'a 10, b 5', 'All that are due, and no others: R-032, R-033, R-037');
select is(shares(2, '{a,b,c}', '{1}'), 'a 1, b 1', 'What is taken already is left out');
select is(shares(7, '{a}'), 'a 7', 'A single name is asked for everything');
select is(shares(5, '{b,c}'), 'b 5', 'A name without a due step gets no share');
select tenure.enqueue('d', delay => '1 h');
select is(shares(5, '{c,d}'), null, 'Nor do two of them');
select tenure.enqueue(n.name, scheduled_at => '2030-01-01 00:00:00+00') from (values ('e'), ('f')) as n (name);
select is(shares(5, '{e,f}'), 'e 1, f 1', 'Due at this instant is due: R-014');
insert into tenure_private.head (track_id, head)
select
    t.track_id,
    '2030-01-01 00:00:00+00' as head
from tenure_private.track as t;
select is(shares(5, '{a,e,f}'), 'e 1, f 1', 'From the heads on, the heads included: R-169');

select * from finish();
rollback;
