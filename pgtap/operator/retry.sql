begin;
select plan(62);
\ir ../session.psql
\ir ../steps.psql

create function discarded(p_kind text, p_max_attempts int default 1, p_on_timeout text default null)
returns bigint
language plpgsql
as $$
-- A step that ran once and was discarded for this reason at 00:00:10.
declare
    v_id bigint;
begin
    perform set_clock('0');
    v_id := tenure.enqueue(
        'job', '{"in": 1}', max_attempts => p_max_attempts, max_reclaims => 0, on_timeout => p_on_timeout,
        timeout => case p_kind when 'timeout' then interval '10 s' end,
        progress_timeout => case p_kind when 'progress' then interval '10 s' end,
        deadline => case p_kind when 'deadline' then interval '10 s' else interval '1 h' end,
        start_within => case p_kind when 'start_within' then interval '10 s' else interval '5 m' end
    );
    if p_kind <> 'start_within' then
        perform tenure.claim(array['default'], 'w', 1, case p_kind when 'reclaim_limit' then interval '9 s' else '1 m' end);
    end if;
    perform set_clock('10 s');
    if p_kind in ('retryable', 'permanent', 'uncertain') then
        perform tenure.fail(v_id, 'w', 1, '{"type": "E"}', p_kind);
    end if;
    perform tenure.sweep();
    return v_id;
end
$$;

-- After every way of being discarded: the attempt is consumed, or not.
create temporary table cases as
select
    k.n,
    k.kind,
    k.attempt,
    discarded(k.kind) as step_id
from (
    values (1, 'retryable', 2), (2, 'permanent', 2), (3, 'uncertain', 2), (4, 'timeout', 2), (5, 'progress', 2),
    (6, 'deadline', 1), (7, 'start_within', 1), (8, 'reclaim_limit', 1)
) as k (n, kind, attempt);
select
    is(
        shown(c.step_id, 'state', 'error_kind', 'attempt'), 'discarded ' || c.kind || ' 1', 'To begin with: ' || c.kind
    )
from cases as c order by c.n;
update tenure_private.step set reclaims = 3;
select set_clock('1 m');
select is(tenure.retry(c.step_id), 'available', format('After %s it is reopened: R-105', c.kind))
from cases as c
order by c.n;
select
    is(
        shown(
            c.step_id,
            'state',
            'scheduled_at',
            'attempt',
            'max_attempts',
            'reclaims',
            'error',
            'error_kind',
            'finished_at',
            'deadline_at', 'start_by', 'lease_owner', 'output', 'input'
        ),
        format(
            'available 2030-01-01T00:01:00+00:00 %s 2 0 - - - %s %s - - {"in": 1}', c.attempt,
            case c.kind when 'deadline' then '2030-01-01T00:01:10+00:00' else '2030-01-01T01:01:00+00:00' end,
            case c.kind when 'start_within' then '2030-01-01T00:01:10+00:00' else '2030-01-01T00:06:00+00:00' end
        ),
        format(
            'After %s: due at once, cleared, limits anew, room for one more: R-075, R-106, R-107, R-108, R-109', c.kind
        )
    )
from cases as c
order by c.n;
select
    is(
        shown(c.step_id, 'alarm_at'),
        '2030-01-01T00:01:10+00:00',
        format('After %s its alarm is the limit that comes first', c.kind)
    )
from cases as c
where c.kind in ('deadline', 'start_within')
order by c.n;
select is(take('w2'), 8::bigint, 'All can be claimed');
select
    is(
        shown(c.step_id, 'lease_generation'), case c.kind when 'start_within' then '1' else '2' end,
        format('After %s the generation goes on: R-004', c.kind)
    )
from cases as c order by c.n;
select is(tenure.fail(1, 'w', 1, '{}'), 'stale', 'The report of the old execution is stale: R-110');
select is(tenure.complete(4, 'w', 1), 'stale', 'So is its success: R-110');
select is(tenure.complete(1, 'w2', 2), 'completed', 'The new one counts');

-- Before it is claimed again the old report gets no second answer either.
select discarded('retryable') as step_id \gset
select tenure.retry(:step_id);
select is(tenure.complete(:step_id, 'w', 1), 'stale', 'Another verb of the old execution is stale: R-051, R-110');

-- How many more.
select discarded('retryable', 1) as step_id \gset
select tenure.retry(:step_id, 4);
select is(shown(:step_id, 'attempt', 'max_attempts'), '2 5', 'extra_attempts counts from the last attempt: R-109');
select discarded('permanent', 9) as step_id \gset
select tenure.retry(:step_id, 3);
select is(shown(:step_id, 'attempt', 'max_attempts'), '2 9', 'max_attempts is never lowered: R-109');
select discarded('deadline', 1) as step_id \gset
select tenure.retry(:step_id, 1);
select is(shown(:step_id, 'attempt', 'max_attempts'), '1 2', 'Nor does it hang on what was consumed: R-108, R-109');
select discarded('retryable', 1) as step_id \gset
select tenure.retry(:step_id, 2147483647);
select is(shown(:step_id, 'max_attempts'), '2147483647', 'No number overflows: R-077');

-- Under wait no second body beside the first.
select discarded('deadline', 1, 'wait') as step_id \gset
select is(
    shown(:step_id, 'state', 'lease_owner', 'lease_expiry'),
    'discarded w 2030-01-01T00:01:00+00:00',
    'Its body may still run'
);
select tenure.retry(:step_id);
select is(
    shown(:step_id, 'scheduled_at', 'start_by', 'deadline_at'),
    '2030-01-01T00:01:00+00:00 2030-01-01T00:06:00+00:00 2030-01-01T00:00:20+00:00',
    'Due when the old lease ends, and start_within counts from then: R-019, R-099'
);
select discarded('deadline', 1, 'wait') as step_id \gset
select tenure.complete(:step_id, 'w', 1);
select tenure.retry(:step_id);
select is(shown(:step_id, 'scheduled_at'), '2030-01-01T00:00:10+00:00', 'At once if its worker has reported: R-099');
select discarded('deadline', 1) as step_id \gset
select tenure.retry(:step_id);
select is(shown(:step_id, 'scheduled_at'), '2030-01-01T00:00:10+00:00', 'At once under abandon');

-- Refused.
delete from tenure_private.step;
select set_clock('0');
select tenure.enqueue(n.name) from (values ('a'), ('b'), ('c'), ('d'), ('e'), ('f'), ('g')) as n (name);
create temporary table names as select
    s.step_id,
    s.name
from tenure.step_status as s;
select count(*) from tenure.claim(array['default'], 'w', 10, '1 m', array['b', 'c', 'd', 'e', 'f']);
select tenure.sleep(n.step_id, 'w', 1, '1 h') from names as n where n.name = 'c';
select tenure.wait_signal(n.step_id, 'w', 1, 'go') from names as n where n.name = 'd';
select tenure.complete(n.step_id, 'w', 1) from names as n where n.name = 'e';
select tenure.skip(n.step_id, 'w', 1) from names as n where n.name = 'f';
select tenure.pause(n.step_id) from names as n where n.name = 'g';
create temporary table before as select s.* from tenure_private.step as s;
select
    throws_ok(
        format('select tenure.retry(%s)', n.step_id),
        'TN010',
        null,
        format('%s is refused: R-105', shown(n.step_id, 'state'))
    )
from names as n order by n.name;
select is_empty('table tenure_private.step except table before', 'Nothing is changed: R-145');
select tenure.cancel(n.step_id) from names as n where n.name = 'a';
select
    throws_ok(
        format('select tenure.retry(%s)', n.step_id), 'TN010', null, 'cancelled is refused: R-105'
    )
from names as n where n.name = 'a';
select discarded('permanent') as step_id \gset
select
    throws_ok(
        format('select tenure.retry(%s, %s)', :step_id, coalesce(e.value::text, 'null')), 'TN007', null,
        format('extra_attempts %s is refused: R-148', e.value)
    )
from (values (0), (-1), (null)) as e (value);
select throws_ok('select tenure.retry(99999)', 'TN001', null, 'An unknown step is refused');
select throws_ok('select tenure.retry(null)', 'TN001', null, 'NULL too');
update tenure_private.step set purging = true where step_id = :step_id;
select throws_ok(format('select tenure.retry(%s)', :step_id), 'TN017', null, 'What is being purged is refused: R-143');

select * from finish();
rollback;
