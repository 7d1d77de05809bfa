begin;
select plan(17);
\ir ../session.psql

-- A step with [retry 2 after 10 s, timeout 100 s, retry 2 after 1 s, timeout 5 s], entered at 0.
select tenure.enqueue('job');
select add_child(1, 7);
create function begin_anew()
returns void
language sql
as $$
delete from tenure_private.layer;
select tenure_private.add_layers(
    '{7}',
    '[{"retry": {"attempts": 2, "backoff": {"kind": "fixed", "base": 10, "jitter": 0}}}, {"timeout": 100},
      {"retry": {"attempts": 2, "backoff": {"kind": "fixed", "base": 1, "jitter": 0}}}, {"timeout": 5}]',
    '2030-01-01 00:00:00+00'
);
$$;
create function next(p_second int, p_delay interval default null)
returns text
language sql
as $$
select coalesce((tenure_private.next_in_layers(
    7, timestamptz '2030-01-01 00:00:00+00' + p_second * interval '1 s', p_delay
) - timestamptz '2030-01-01 00:00:00+00')::text, 'none')
$$;
create function counters()
returns text
language sql
as $$
select string_agg(concat_ws('@', l.begun, extract(epoch from l.entered_at - timestamptz '2030-01-01 00:00:00+00')::int), ' ' order by l.position)
from tenure_private.layer as l
where l.begun is not null or l.entered_at is not null
$$;

select begin_anew();
select is(counters(), '1 0 1', 'Entered: the last counts from each claim');
select is(next(50), '00:00:51', 'The nearest retry takes it, after its delay: R-482');
select is(counters(), '1 0 2', 'And counts: R-483');
select is(
    (select format('%s %s', s.deadline_at, s.timeout) from tenure_private.step as s where s.step_id = 7),
    '2030-01-01 00:01:40+00 00:00:05', 'The limits stand where they are looked for'
);
select is(next(60), '00:01:10', 'Then the one around it: R-482');
select is(counters(), '2 70 1', 'Inside all begins anew, entered when it is due: R-483, R-484');
select is(
    (select s.deadline_at from tenure_private.step as s where s.step_id = 7),
    '2030-01-01 00:02:50+00',
    'With a new limit: R-484'
);
select is(next(80), '00:01:21', 'The inner one again: R-483');
select is(next(90), 'none', 'Then there is none');
select is(counters(), '2 70 2', 'And nothing is changed');

select begin_anew();
select is(next(99), '00:01:40', 'Up to the limit');
select begin_anew();
select is(next(100), '00:01:50', 'Past it not the inner one: R-482');
select is(next(210), 'none', 'And past it again, none: R-482');

select begin_anew();
select is(next(50, '7 s'), '00:00:57', 'The handler''s delay instead: R-495');
select is(next(57, '0'), '00:00:57', 'Of whichever layer: R-495');
delete from tenure_private.layer;
select is(next(0), 'none', 'Without layers none');

-- Delays grow by the attempts of their own layer.
select tenure_private.add_layers(
    '{7}',
    '[{"retry": {"attempts": 9, "backoff": {"base": 1, "factor": 2, "jitter": 0}}}, {"retry":'
    ' {"attempts": 1, "backoff": null}}]',
    '2030-01-01 00:00:00+00'
);
select is(
    array[next(0), next(0), next(0)], '{00:00:01, 00:00:02, 00:00:04}', 'One, two, four seconds: R-483'
);

select * from finish();
rollback;
