begin;
select plan(25);
\ir ../session.psql
\ir ../steps.psql

-- The largest and the smallest of everything that is taken: no call on such a step fails, and none stands in the way.
create function enqueue_extreme(p_duration interval, p_base text, p_count int)
returns bigint
language sql
as $$
select tenure.enqueue(
    'extreme', timeout => p_duration, deadline => p_duration, start_within => p_duration, progress_timeout => p_duration,
    idempotency_key => p_duration::text, idempotency_period => p_duration, max_attempts => p_count, max_reclaims => greatest(p_count, -1),
    backoff => format('{"kind": "fixed", "base": %s, "cap": 3155760000, "jitter": 1}', p_base)::jsonb
)
$$;

select enqueue_extreme('876600 h', '3155760000', 2147483647);
select enqueue_extreme('0.000001 s', '1e-300', -2147483648);
select enqueue_extreme('0', '0', 0);
select tenure.enqueue('healthy') from generate_series(1, 5);
select is(
    (select count(*) from tenure.claim(array['default'], 'w', 10, '876600 h', array['healthy'])), 5::bigint,
    'The others are claimed'
);
select is(
    (select array_agg(c.step_id) from tenure.claim(array['default'], 'w', 10, '876600 h') as c), '{1,2}',
    'So is what is in time'
);
select is((tenure.heartbeat(1, 'w', 1, '1')).verdict, 'renewed', 'It is renewed');
select is(tenure.fail(1, 'w', 1, '{}'), 'retrying', 'A failure lands');
select ok(
    (
        select s.scheduled_at between '2030-01-01 00:00:00+00' and '2130-01-03 00:00:00+00'
        from tenure.step_status as s
        where s.step_id = 1
    ),
    'And is retried at an instant that will come: R-058'
);
select set_clock('0.000001 s');
select is(swept(), '0 reclaimed, 0 timed out, 2 discarded, 0 woken', 'What has no time left is swept');
select set_clock('876600 h');
select is(
    swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken',
    'And so is, a hundred years later, the other; leases are over only past their end: R-014'
);
select is(shown(1, 'error_kind'), 'deadline', 'By its deadline');

-- Verdicts with the longest of durations.
select set_clock('0');
select tenure.enqueue('job') from generate_series(1, 3);
select count(*) from tenure.claim(array['default'], 'w', 10, '0.000001 s', array['job']);
select is(tenure.sleep(9, 'w', 1, '876600 h'), 'sleeping', 'A sleep of a hundred years');
select is(tenure.wait_signal(10, 'w', 1, 'go', '876600 h'), 'waiting', 'A wait of a hundred years');
select is(tenure.fail(11, 'w', 1, '{}', retry_after => '876600 h'), 'retrying', 'A delay of a hundred years');
select is(
    format('%s %s %s', shown(9, 'due_at'), shown(10, 'due_at'), shown(11, 'scheduled_at')),
    '2130-01-02T00:00:00+00:00 2130-01-02T00:00:00+00:00 2130-01-02T00:00:00+00:00',
    'All end when they should'
);
select throws_ok(format('select %s', c.call), 'TN006', null, format('%s is refused: R-025', c.call))
from (
    values
    ('tenure.sleep(9, ''w'', 1, ''876600 h 1 us'')'), ('tenure.sleep(9, ''w'', 1, ''292278 years'')'),
    ('tenure.wait_signal(9, ''w'', 1, ''go'', ''-1 s'')'),
    ('tenure.fail(9, ''w'', 1, ''{}'', retry_after => ''1 mon'')'),
    ('tenure.claim(array[''default''], ''w'', 1, ''101 years'')'), ('tenure.claim(array[''default''], ''w'', 1, ''0'')')
) as c (call);
select
    throws_ok(
        format('select tenure.enqueue(''job'', backoff => ''{"base": %s}'')', b.base), b.code, null,
        format('A backoff of %s is refused', b.base)
    )
from (
    values
    ('1e18', 'TN007'),
    ('9.3e12', 'TN007'),
    ('-1', 'TN007'),
    ('1e-7', 'TN007'),
    ('"NaN"', 'TN007'),
    ('"Infinity"', 'TN007'),
    ('NaN', '22P02')
) as b (base, code);

select * from finish();
rollback;
