begin;
select plan(14);
\ir ../session.psql

create function picked(p_room int, p_names text[] default null)
returns text
language sql
as $$
select array_to_string(
    (tenure_private.pick(tenure_private.open_tracks('{default}', p_names, tenure_private.clock()), p_room, tenure_private.clock()))
    .step_ids, ' '
)
$$;

-- Priorities first, then time, then id.
select tenure.enqueue('a', priority => 5, scheduled_at => '2029-01-01 00:00:00+00');
select tenure.enqueue('a', scheduled_at => '2029-01-01 00:00:03+00');
select tenure.enqueue('b', scheduled_at => '2029-01-01 00:00:02+00');
select tenure.enqueue('a', scheduled_at => '2029-01-01 00:00:01+00');
select tenure.enqueue('b', priority => -5);
select tenure.enqueue('b', scheduled_at => '2029-01-01 00:00:01+00');
select tenure.enqueue('a', delay => '1 h', priority => -100);
select tenure.enqueue('a', deadline => '0', priority => -100);
select tenure.enqueue('a', start_within => '0', priority => -100);
select is(picked(1), '5', 'The first lane first: R-028');
select is(
    (select string_agg(p.id, ' ' order by p.id) from string_to_table(picked(3), ' ') as p (id)), '4 5 6',
    'Then the next: R-028'
);
select is(
    (select string_agg(p.id, ' ' order by p.id) from string_to_table(picked(100), ' ') as p (id)), '1 2 3 4 5 6',
    'All that is due and in time, and nothing else: R-032, R-033, R-037'
);
select is(
    (select string_agg(p.id, ' ' order by p.id) from string_to_table(picked(100, '{b}'), ' ') as p (id)), '3 5 6',
    'Of the names asked for: R-035'
);
select is(picked(100, '{nobody}'), '', 'Where there is nothing, nothing');

-- From the head on, the head included.
insert into tenure_private.head (track_id, head)
select
    t.track_id,
    '2029-01-01 00:00:02+00' as head
from tenure_private.track as t
where t.name = 'b' and t.priority = 0;
select is(picked(100, '{b}'), '5 3', 'Nothing before the head of a track is read, what lies at it is: R-169');
delete from tenure_private.head;

-- Never more than asked for, whatever the planner believes of the table.
analyze tenure_private.step;
select tenure.enqueue_many((
    select jsonb_agg(jsonb_build_object('name', 'n' || g.n % 3)) from generate_series(1, 200) as g (n)
));
select is(cardinality(string_to_array(picked(n.room, n.names), ' ')), n.room, format('%s of 200: R-037', n.room))
from (
    values (2, '{n0}'::text[]), (2, '{n0,n1,n2}'), (7, '{n0,n1,n2}'), (100, '{n0,n1,n2}')
) as n (room, names);
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local enable_material = off;
select
    is(
        cardinality(string_to_array(picked(n.room, n.names), ' ')),
        n.room,
        format('%s of 200 without joins: R-037', n.room)
    )
from (
    values (2, '{n0}'::text[]), (2, '{n0,n1,n2}'), (7, '{n0,n1,n2}'), (100, '{n0,n1,n2}')
) as n (room, names);

select * from finish();
rollback;
