begin;
select plan(95);
\ir ../session.psql

-- Every duration is held to the same rule.
select
    throws_ok(
        format('select tenure.enqueue(''mail'', idempotency_key => ''k'', %s => %L)', p.name, d.value), 'TN006', null,
        format('%s of %s is refused: R-025', p.name, d.value)
    )
from (
    values ('delay'), ('timeout'), ('deadline'), ('start_within'), ('progress_timeout'), ('idempotency_period')
) as p (name)
cross join (
    values ('1 mon'),
    ('2 years'),
    ('1 mon -31 days'),
    ('P1M'),
    ('-1 us'),
    ('1 day -25 h'),
    ('876600 h 1 us'),
    ('292278 years'),
    ('2500000000 h')
) as d (value);
select is_empty('select from tenure_private.step', 'Nothing was written: R-145');
select is_empty('select from tenure_private.idempotency', 'Not even a key: R-145');

-- What is given is what is kept, to the microsecond.
select
    is(
        shown(tenure.enqueue('mail', timeout => d.value::interval), 'timeout'),
        d.kept,
        format('%s is kept', d.value)
    )
from (
    values
    ('250 ms', '00:00:00.25'),
    ('0.5 s', '00:00:00.5'),
    ('1.5 h', '01:30:00'),
    ('90 m', '01:30:00'),
    ('42m30s', '00:42:30'),
    ('1h0m0s', '01:00:00'),
    ('1 d', '24:00:00'),
    ('P1DT2H', '26:00:00'),
    (' 5 s ', '00:00:05'),
    ('00:00:00.000001', '00:00:00.000001'),
    ('1 day -1 h', '23:00:00'),
    ('0', '00:00:00'),
    ('876600 h', '876600:00:00')
) as d (value, kept);

-- Who decides, and what 0 and none mean: the call, else the queue.
select tenure.create_queue('none');
select tenure.create_queue('zero', timeout_default => '0');
select tenure.create_queue('ten', timeout_default => '10 s');
select throws_ok(
    $$ select tenure.create_queue('minus', timeout_default => '-1 s') $$,
    'TN006',
    null,
    'A queue has no negative limit'
);
select
    throws_ok(
        format('select tenure.enqueue(''mail'', queue => %L, timeout => ''-1 s'')', q.name), 'TN006', null,
        format('Nor has a step of queue %s', q.name)
    )
from (values ('none'), ('zero'), ('ten')) as q (name);
select
    throws_ok(
        format('select tenure.enqueue(''mail'', queue => %L, timeout => ''infinity'')', q.name),
        -- Before 17 there are no infinite intervals.
        case when current_setting('server_version_num')::int < 170000 then '22007' else 'TN006' end::char(5), null,
        format('An infinite limit is none, on queue %s either', q.name)
    )
from (values ('none'), ('zero'), ('ten')) as q (name);
select
    is(
        shown(tenure.enqueue('mail', queue => c.queue, timeout => c.timeout), 'timeout'), c.kept,
        format('timeout %s on queue %s is %s: R-016, R-017', coalesce(c.timeout::text, 'none'), c.queue, c.kept)
    )
from (
    values
    ('none', null::interval, '-'),
    ('none', '0', '00:00:00'),
    ('none', '1 s', '00:00:01'),
    ('zero', null, '00:00:00'),
    ('zero', '0', '00:00:00'),
    ('zero', '1 s', '00:00:01'),
    ('ten', null, '00:00:10'),
    ('ten', '0', '00:00:00'),
    ('ten', '1 s', '00:00:01')
) as c (queue, timeout, kept);

-- And what is kept is what is enforced: claim tells the same.
select results_eq(
    $$ select c.queue, c.time_left from tenure.claim(array['none', 'zero', 'ten'], 'w', 100) as c order by c.step_id $$,
    $$ values
        ('none', null::interval), ('none', '0'), ('none', '1 s'), ('zero', '0'), ('zero', '0'), ('zero', '1 s'),
        ('ten', '10 s'), ('ten', '0'), ('ten', '1 s') $$,
    'The time left at claim is the one limit: R-031'
);

-- The bounds of a queue.
select tenure.create_queue('web', 'delivery');
select
    is(
        shown(tenure.enqueue('mail', queue => 'web', timeout => c.timeout), 'timeout'), c.kept,
        format('timeout %s within the bounds of delivery: R-024', coalesce(c.timeout::text, 'none'))
    )
from (
    values
    (null::interval, '00:00:30'),
    ('100 ms', '00:00:00.1'),
    ('900 s', '00:15:00')
) as c (timeout, kept);
select
    throws_ok(
        format('select tenure.enqueue(''mail'', queue => ''web'', timeout => %L)', c.timeout), 'TN009', null,
        format('timeout %s is out of them: R-023', c.timeout)
    )
from (values ('0'), ('0.099999 s'), ('900.000001 s'), ('1 h')) as c (timeout);
select is(
    shown(tenure.enqueue('mail', queue => 'default', timeout => '876600 h'), 'timeout'), '876600:00:00',
    'The queue default has no bounds: R-024'
);

select tenure.create_queue('capped', timeout_ceiling => '90 s');
select tenure.enqueue('job', queue => 'capped');
select is(
    (select s.timeout from tenure.step_status as s where s.queue = 'capped'),
    interval '90 s', 'Where nobody says a timeout, the ceiling of the queue is it: R-023'
);

select * from finish();
rollback;
