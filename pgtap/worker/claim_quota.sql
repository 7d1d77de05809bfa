begin;
select plan(41);
\ir ../session.psql
\ir ../steps.psql

-- The names of what a claim gets, in its order.
create function names_of(p_max_steps int default 1000, p_names text[] default null, p_queues text[] default '{default}')
returns text
language sql
as $$
select string_agg(c.name, ' ' order by c.ordinality)
from tenure.claim(p_queues, 'w', p_max_steps, '60 s', p_names) with ordinality as c
$$;

-- Completes all that runs under a name.
create function finish_all(p_name text)
returns bigint
language sql
as $$
select count(tenure.complete(s.step_id, 'w', s.lease_generation))
from tenure.step_status as s
where s.name = p_name and s.state = 'running'
$$;

select tenure.create_queue('io');
select tenure.set_quota('http', 2);
select tenure.set_quota('disk', 10);
select tenure.define_step('get', quota => 'http');
select tenure.define_step('put', quota => 'http', quota_units => 2);

-- As many as there is room for, over all claims.
select tenure.enqueue('get') from generate_series(1, 5);
select is(names_of(1), 'get', 'One');
select is(names_of(), 'get', 'Then one more: R-463');
select is(names_of(), null, 'Then none: R-463');
select tenure.complete(1, 'w', 1);
select is(names_of(), 'get', 'Completed, it makes room for one: R-463, R-464');

-- Whatever takes a step out of running gives its units back.
select tenure.fail(2, 'w', 1, '"e"', retry_after => '1 h');
select is(names_of(), 'get', 'So does a failed one: R-464');
select is(names_of(), null, 'Once: R-463');
select tenure.sleep(3, 'w', 1, '1 h');
select tenure.wait_signal(4, 'w', 1, 'go');
select is(names_of(), 'get', 'So do one that sleeps and one that waits: R-464');
select tenure.enqueue('get') from generate_series(1, 3);
select is(names_of(), 'get', 'Both of them: R-464');
select tenure.signal(4, 'go');
select is(names_of(), null, 'What comes back from its wait queues for the quota again: R-463');
select tenure.skip(6, 'w', 1, 'no need');
select is(
    (select array_agg(c.step_id) from tenure.claim(array['default'], 'w', 9) as c), '{4}', 'By scheduled_at: R-466'
);
select tenure.release(5, 'w', 1);
select is(
    (select array_agg(c.step_id) from tenure.claim(array['default'], 'w', 9) as c),
    '{5}',
    'One released makes room: R-464'
);
select tenure.cancel(5, 'enough');
select is(
    (select array_agg(c.step_id) from tenure.claim(array['default'], 'w', 9) as c),
    '{7}',
    'So does one cancelled: R-464'
);
select set_clock('60.000001 s');
select is(swept(), '2 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Their leases end');
select is(
    (
        select array_agg(format('%s/%s', c.step_id, c.generation) order by c.step_id)
        from tenure.claim(array['default'], 'w2', 9) as c
    ),
    '{4/3, 7/2}', 'A crash makes room when it is swept, and the same steps may have it again: R-464'
);
select is(tenure.complete(4, 'w', 2), 'stale', 'The late report of the old owner changes nothing');
select is(names_of(), null, 'And makes no room: R-463');
select is((tenure.heartbeat(4, 'w2', 3)).verdict, 'renewed', 'The new owner runs on');
select is(
    (select count(*) from tenure.step_status as s where s.state = 'running'),
    2::bigint,
    'Two run, and a third has been cancelled: R-463'
);
select tenure.complete(4, 'w2', 3);
select tenure.complete(4, 'w2', 3);
select tenure.complete(7, 'w2', 2);
select tenure.cancel(8, 'enough');

-- Units, order, priorities.
select tenure.enqueue('get');
select tenure.enqueue('put');
select tenure.enqueue('get');
select is(names_of(), 'get get', 'Two units do not fit beside one, and keep nobody from the one that is left: R-465');
select is(names_of(), null, 'They wait: R-463');
select is(finish_all('get'), 2::bigint, 'When there is room for both');
select is(names_of(), 'put', 'They come: R-463');
select tenure.enqueue('get');
select tenure.enqueue('put', priority => -1);
select is(names_of(), null, 'Two units fill a quota of two: R-463');
select finish_all('put');
select is(names_of(), 'put', 'Priorities come first under a quota too: R-466');
select finish_all('put');
select tenure.enqueue('get', queue => 'io');
select tenure.enqueue('get', queue => 'io');
select is(names_of(9, null, '{default, io}'), 'get get', 'A quota holds over queues and priorities: R-463');
select is(
    (select array_agg(s.queue order by s.queue) from tenure.step_status as s where s.state = 'running'),
    '{default, io}',
    'The earliest: R-466'
);
select finish_all('get');
select is(names_of(9, null, '{io}'), 'get', 'And the other');
select finish_all('get');

-- It is in nobody's way.
select tenure.enqueue('get') from generate_series(1, 50);
select tenure.enqueue('other');
select tenure.enqueue('last', priority => 1);
select is(names_of(4), 'get get other last', 'A backlog is no hindrance, neither in its lane nor before others: R-465');
select tenure.enqueue('other');
select is(names_of(1), 'other', 'When it is full neither: R-465');
select is(names_of(1, '{get, other}'), null, 'Whatever names are asked for');
select tenure.define_step('write', quota => 'disk');
select tenure.enqueue('write');
select is(names_of(), 'write', 'Another quota is another: R-465');
select tenure.set_quota('http', 3);
select tenure.enqueue('other');
select tenure.enqueue('write');
select is(names_of(), 'get other write', 'Each step under its own');

-- Definitions.
select tenure.set_quota('late', 0);
select throws_ok(
    $$ select tenure.define_step('x', quota => 'late') $$, 'TN007', 'the quota could never hold these units',
    'Units above the capacity are refused: R-461'
);
select throws_ok(
    $$ select tenure.define_step('x', quota => 'nowhere') $$, 'TN015', 'there is no such quota',
    'So is an unknown quota: R-461'
);
select is_empty($$ select from tenure_private.definition as d where d.name = 'x' $$, 'Nothing was written: R-145');
select tenure.set_quota('http', 1);
select lives_ok(
    $$ select tenure.define_step('put', quota => 'http', quota_units => 2) $$,
    'A definition that stands is not refused because the capacity was lowered since: R-462'
);
select throws_ok(
    $$ select tenure.define_step('get', quota => 'http', quota_units => 2) $$, 'TN007', null, 'A changed one is: R-462'
);
select tenure.enqueue('write');
select tenure.define_step('write');
select tenure.set_quota('disk', 0);
select tenure.enqueue('write');
select is(names_of(9, '{write}'), 'write', 'A new definition holds for what is enqueued from now on: R-471');
select tenure.set_quota('disk', 10);
select is(names_of(9, '{write}'), 'write', 'What was there before has kept its quota: R-471');

-- A paused run holds nothing; a running step of it does.
select finish_all('get');
select tenure.set_quota('http', 1);
select is(names_of(9, '{get}'), 'get', 'One runs');
select tenure.pause(s.step_id) from tenure.step_status as s where s.name = 'get' and s.state = 'running';
select is(names_of(9, '{get}'), null, 'A pause does not stop it, so it holds its unit: R-464');

select * from finish();
rollback;
