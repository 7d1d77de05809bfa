begin;
select plan(14);

create function settings(
    p_default interval, p_floor interval, p_ceiling interval, p_retention interval default null,
    p_discarded_retention interval default null
)
returns text
language sql
as $$
select concat_ws(' ', q.timeout_default, q.timeout_floor, q.timeout_ceiling, q.retention, q.discarded_retention)
from tenure_private.queue_with(
    tenure_private.preset('delivery'), p_default, p_floor, p_ceiling, p_retention, p_discarded_retention
) as q
$$;

select is(
    settings(null, null, null), '00:00:30 00:00:00.1 00:15:00 168:00:00 720:00:00', 'NULL leaves a setting as it is'
);
select is(
    settings('1 m', '1 s', '1 h', '1 day', '0'), '00:01:00 00:00:01 01:00:00 24:00:00 00:00:00', 'Given beats it'
);
select is(settings('30 s', '30 s', '30 s'), '00:00:30 00:00:30 00:00:30 168:00:00 720:00:00', 'All may be equal');
select throws_ok(format('select settings(%s)', s.arguments), s.code, null, format('%s is refused', s.arguments))
from (
    values
    ('null, ''31 s'', null', 'TN007'), ('null, null, ''29 s''', 'TN007'), ('''901 s'', null, null', 'TN007'),
    ('''0'', null, null', 'TN007'), ('null, ''2 h'', ''1 h''', 'TN007'), ('''-1 s'', null, null', 'TN006'),
    ('null, ''1 mon'', null', 'TN006'), ('null, null, ''1 year''', 'TN006'), ('null, null, null, ''-1 s''', 'TN006'),
    ('null, null, null, null, ''1 mon''', 'TN006')
) as s (arguments, code);
select is(
    (tenure_private.queue_with(tenure_private.preset(null), null, null, '1 s', null, null)).timeout_default, null,
    'A ceiling may stand alone'
);

select * from finish();
rollback;
