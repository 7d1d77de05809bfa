begin;
select plan(5);
\ir ../session.psql
\ir ../steps.psql

create function passed(p_kind text)
returns text
language sql
as $$
select concat_ws(
    ' ', o.verdict, o.state, o.attempt, o.error_kind, o.error ->> 'kind', o.error ->> 'step', o.error ->> 'cause'
)
from tenure_private.step as s
cross join lateral tenure_private.pass_limit(s, tenure_private.clock(), p_kind, 'told', '{"type": "E"}') as o
$$;

select tenure.enqueue('job', max_attempts => 2);
select take();
select is(passed(k.kind), k.outcome, format('%s: R-062, R-063, R-064, R-065, R-071', k.kind))
from (
    values
    ('timeout', 'told available 2 timeout timeout job {"type": "E"}'),
    ('progress', 'told available 2 progress progress job {"type": "E"}'),
    ('deadline', 'told discarded deadline deadline job {"type": "E"}'),
    ('start_within', 'told discarded start_within start_within job {"type": "E"}'),
    ('reclaim_limit', 'told discarded reclaim_limit reclaim_limit job {"type": "E"}')
) as k (kind, outcome);

select * from finish();
rollback;
