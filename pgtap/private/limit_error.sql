begin;
select plan(10);
\ir ../session.psql

-- The documents are part of the API.
create function document(p_kind text, p_cause jsonb default null)
returns jsonb
language sql
as $$
select tenure_private.limit_error(s, 'mail', p_kind, p_cause) from tenure_private.step as s where s.step_id = 1
$$;

select
    tenure.enqueue(
        'mail', timeout => '1.5 s', progress_timeout => '2 s', deadline => '1 day', start_within => '250 ms'
    );
update tenure_private.step set reclaims = 10;
select
    is(
        document(d.kind),
        d.document::jsonb,
        format('kind %s: step, limit and layer: R-062, R-063, R-064, R-065, R-071', d.kind)
    )
from (
    values
    (
        'timeout',
        '{"type": "LimitPassed", "kind": "timeout", "message": "step mail passed its timeout", "step": "mail",
        "limit": 1.5, "layer": "timeout"}'
    ),
    (
        'progress', '{"type": "LimitPassed", "kind": "progress", "message": "step mail passed its progress_timeout",
        "step": "mail", "limit": 2, "layer": "progress_timeout"}'
    ),
    (
        'deadline',
        '{"type": "LimitPassed", "kind": "deadline", "message": "step mail passed its deadline", "step": "mail",
        "limit": 86400, "layer": "deadline"}'
    ),
    (
        'start_within', '{"type": "LimitPassed", "kind": "start_within", "message": "step mail was not started in time",
        "step": "mail", "limit": 0.25, "layer": "start_within"}'
    ),
    (
        'reclaim_limit', '{"type": "ReclaimLimit", "kind": "reclaim_limit",
        "message": "the lease of step mail expired after 10 reclaims", "step": "mail"}'
    )
) as d (kind, document);
set local intervalstyle = 'iso_8601';
select is(document('timeout') -> 'limit', '1.5', 'A limit is a number of seconds, whatever the IntervalStyle');
set local intervalstyle = 'postgres';
select is(
    document('timeout', '{"type": "E"}') -> 'cause', '{"type": "E"}', 'What the worker reported stands under cause'
);
update tenure_private.step set error = '{"type": "Last"}';
select is(document('deadline') -> 'cause', '{"type": "Last"}', 'For a deadline the last attempt''s error does: R-064');
select is(document('timeout') -> 'cause', null, 'For a timeout it does not');
update tenure_private.step set timeout = null;
select is(
    document('timeout') - 'message', '{"type": "LimitPassed", "kind": "timeout", "step": "mail"}',
    'Without a limit none is told'
);

select * from finish();
rollback;
