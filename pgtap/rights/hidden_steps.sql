begin;
select plan(73);
\ir ../session.psql
\ir ../rights.psql

-- Every call by an id that clients and workers may make. %1$s is the id; the step in mail is leased under w, 1.
create table call (n int generated always as identity, name text, call text, answer text);
insert into call (name, call, answer) values
('heartbeat', 'select * from tenure.heartbeat(%1$s, ''w'', 1)', '(lost,,)'),
('heartbeat', 'select * from tenure.heartbeat(%1$s, ''w'', 1, ''"here"'')', '(lost,,)'),
('heartbeat_many', 'select * from tenure.heartbeat_many(array[%1$s], ''w'', ''{1}'')', '(1,lost,,)'),
('complete', 'select tenure.complete(%1$s, ''w'', 1, ''"done"'')', '(stale)'),
('complete_many', 'select * from tenure.complete_many(array[%1$s], ''w'', ''{1}'')', '(1,stale)'),
('skip', 'select tenure.skip(%1$s, ''w'', 1)', '(stale)'),
('fail', 'select tenure.fail(%1$s, ''w'', 1, ''"error"'')', '(stale)'),
('fail', 'select tenure.fail(%1$s, ''w'', 1, ''"error"'', kind => ''permanent'')', '(stale)'),
('release', 'select tenure.release(%1$s, ''w'', 1)', '(stale)'),
('sleep', 'select tenure.sleep(%1$s, ''w'', 1, ''1 s'')', '(stale)'),
('wait_signal', 'select tenure.wait_signal(%1$s, ''w'', 1, ''go'')', '(stale)'),
('checkpoint', 'select tenure.checkpoint(%1$s, ''w'', 1, ''key'')', 'TN014: % Step 1 is unknown.: %'),
('checkpoint', 'select tenure.checkpoint(%1$s, ''w'', 1, ''key'', ''1'')', 'TN014: % Step 1 is unknown.: %'),
('stage', 'select tenure.stage(%1$s, ''w'', 1, ''key'', ''1'')', '(stale)'),
('staged', 'select tenure.staged(%1$s, ''w'', 1, ''key'')', 'TN014: % Step 1 is unknown.: %'),
('start_child', 'select tenure.start_child(%1$s, ''w'', 1, ''t'')', 'TN014: % Step 1 is unknown.: %'),
('status', 'select * from tenure.status(%1$s)', 'TN001: % Run 1.: %'),
('result', 'select tenure.result(%1$s)', 'TN001: % Run 1.: %'),
('cancel', 'select tenure.cancel(%1$s, ''why'')', 'TN001: % Run 1.: %'),
('signal', 'select tenure.signal(%1$s, ''go'')', 'TN001: % Run 1.: %');

select set_eq(
    'select c.name from call as c',
    $$select p.proname::text from pg_proc as p
    where p.pronamespace = 'tenure'::regnamespace and p.proargnames && array['step_id', 'step_ids', 'run_id']
        and (
            has_function_privilege('tenure_client', p.oid, 'execute')
            or has_function_privilege('tenure_worker', p.oid, 'execute')
        )$$,
    'No call by an id is left out'
);

select is(
    told('tenure_test_mail', 'select c.step_id from tenure.claim(array[''mail''], ''w'') as c'), '(1)',
    'A worker claims from its own queue: R-230'
);
create table before as select to_jsonb(s) as step from tenure_private.step as s where s.step_id = 1;

-- What is said of a step in somebody else's queue is, to the letter, what is said of a step that is not there.
create function of_no_step(p_call text)
returns text
language sql
as $$ select replace(told('tenure_test_sms', format(p_call, 999)), '999', '1') $$;
select
    is(
        told('tenure_test_sms', format(c.call, 1)), of_no_step(c.call),
        format('%s by the worker of another queue: R-232', c.name)
    )
from call as c
order by c.n;
select alike(of_no_step(c.call), c.answer, format('%s, which is: %s', c.name, c.answer))
from call as c
order by c.n;
select
    is(
        told('tenure_test_free', format(c.call, 1)), of_no_step(c.call),
        format('%s by one who was granted nothing, of a queue granted to others: R-232', c.name)
    )
from call as c
order by c.n;
select is(
    (select to_jsonb(s) from tenure_private.step as s where s.step_id = 1), (select b.step from before as b),
    'None of these calls has changed the step: R-232'
);
select is_empty(
    'select from tenure_private.signal union all select from tenure_private.checkpoint',
    'Nor left anything with it: R-232'
);

-- Dead steps, too: what they held is nobody else's.
select told('tenure_test_mail', $$select tenure.fail(1, 'w', 1, '"secret"', kind => 'permanent')$$);
select alike(
    told('tenure_test_mail', 'select tenure.result(1)'), 'TN012%secret%', 'Whoever has the queue is told: R-232'
);
select is(
    told('tenure_test_sms', 'select tenure.result(1)'), of_no_step('select tenure.result(%1$s)'),
    'Nobody else is told a discarded run''s error: R-232'
);
select is(
    told('tenure_test_sms', $$select tenure.fail(1, 'w', 1, '"secret"', kind => 'permanent')$$), '(stale)',
    'Or what was reported of it: R-232'
);

-- A child's id is unknown, not known as a child's.
select add_child(1, 500);
select is(
    replace(told('tenure_test_sms', 'select tenure.status(500)'), '500', '1'), of_no_step('select tenure.status(%1$s)'),
    'Nor whether it is a child: R-232'
);

-- Batches: each its own.
select told('tenure_test_sms', 'select from tenure.claim(array[''sms''], ''w'')');
select is(
    told('tenure_test_sms', $$select * from tenure.heartbeat_many('{1,2,999}', 'w', '{1,1,1}') as h order by 1$$),
    '(1,lost,,) (2,renewed,"2030-01-01 00:00:30+00",) (999,lost,,)', 'A batch of beats renews one''s own: R-232'
);
select is(
    told(
        'tenure_test_sms',
        $$select * from tenure.complete_many('{1,2,999,2,1}', 'w', '{1,1,1,1,1}') as c order by 1$$
    ),
    '(1,stale) (1,stale) (2,completed) (2,completed) (999,stale)', 'A batch of reports ends one''s own: R-232'
);

-- Operators see to all queues, and readers read of all.
select is(
    told('tenure_operator', 'select tenure.retry(1)'), '(available)', 'Operators are not restricted: R-233'
);
select is(told('tenure_operator', 'select tenure.cancel(1)'), '(1)', 'In what they share with clients neither: R-233');
select alike(told('tenure_reader', 'select * from tenure.status(1)'), '(1,t,mail,cancelled,%', 'Readers read: R-233');

select * from finish();
rollback;
