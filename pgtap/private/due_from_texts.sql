begin;
select plan(15);
set local time zone 'UTC';

create function due(p_scheduled_at text[], p_delays text[])
returns timestamptz[]
language sql
as $$ select tenure_private.due_from_texts(p_scheduled_at, p_delays, '2030-01-01 00:00:00+00') $$;

select is(
    due(array[null, null], array[null, null]), '{2030-01-01 00:00:00+00,2030-01-01 00:00:00+00}',
    'Where nothing is said: now'
);
select is(
    due(array[null, '2031-01-01 00:00:00+00', null], array['1 h', null, null]),
    '{2030-01-01 01:00:00+00,2031-01-01 00:00:00+00,2030-01-01 00:00:00+00}', 'Each for itself, in order'
);
select
    throws_ok(
        format('select due(array[%L], array[%L])', d.scheduled_at, d.delay), d.code, null,
        format('%s, %s is refused: R-132', d.scheduled_at, d.delay)
    )
from (
    values
    ('2031-01-01 00:00:00+00', '1 s', 'TN007'), ('infinity', null, 'TN007'), ('soon', null, 'TN007'),
    ('2030-02-30 00:00:00+00', null, 'TN007'), ('300000-01-01 00:00:00+00', null, 'TN007'), (null, 'soon', 'TN007'),
    (null, '', 'TN007'),
    (null, '1e30 s', 'TN007'),
    (null, '-1 s', 'TN006'),
    (null, '1 mon', 'TN006'),
    (null, '{"s": 1}', 'TN007'),
    (null, '[1]', 'TN007'), ('["2031-01-01 00:00:00+00"]', null, 'TN007')
) as d (scheduled_at, delay, code);

select * from finish();
rollback;
