begin;
select plan(9);
\ir ../session.psql

-- A discarded step and a cancelled one, both with [timeout 50 s, retry 3, retry 2, timeout 5 s].
select tenure.enqueue('job');
select add_child(1, 7, '{"state": "discarded", "error_kind": "retryable"}');
select add_child(1, 8, '{"state": "cancelled"}');
create function restarted(p_kind text, p_begun int, p_extra_attempts int)
returns text
language sql
as $$
delete from tenure_private.layer;
select tenure_private.add_layers(
    '{7, 8}', '[{"timeout": 50}, {"retry": {"attempts": 3}}, {"retry": {"attempts": 2}}, {"timeout":'
    ' 5}]', '2030-01-01 00:00:00+00'
);
update tenure_private.layer set begun = p_begun where position = 3;
update tenure_private.step set error_kind = p_kind where step_id = 7;
select tenure_private.restart_layers('{7, 8}', p_extra_attempts, '2030-01-01 01:00:00+00');
select string_agg(concat_ws('/', l.begun, l.attempts) , ' ' order by l.position) from tenure_private.layer as l where l.step_id = 7 and l.kind = 'retry';
$$;
select
    is(
        restarted(r.kind, r.begun, r.extra),
        r.counters,
        format('%s in attempt %s, %s more: R-492', r.kind, r.begun, r.extra)
    )
from (
    values
    ('retryable', 2, 1, '1/3 3/3'), ('retryable', 2, 3, '1/3 3/5'), ('permanent', 1, 1, '1/3 2/2'),
    ('deadline', 1, 1, '1/3 1/2'), ('deadline', 2, 2, '1/3 2/4'), ('timeout', 2, null, '1/3 3/2')
) as r (kind, begun, extra, counters);
select is(
    (select array_agg(distinct l.entered_at) from tenure_private.layer as l where l.entered_at is not null),
    '{2030-01-01 01:00:00+00}',
    'The clocks begin anew: R-492'
);
select is(
    (
        select string_agg(concat_ws('/', l.begun, l.attempts), ' ' order by l.position)
        from tenure_private.layer as l
        where l.step_id = 8 and l.kind = 'retry'
    ),
    '1/3 2/2', 'One that was cancelled with it is in the attempt that it was in: R-492'
);
select is(
    (select format('%s %s', s.deadline_at, s.timeout) from tenure_private.step as s where s.step_id = 7),
    '2030-01-01 01:00:50+00 00:00:05',
    'The limits stand where they are looked for'
);

select * from finish();
rollback;
