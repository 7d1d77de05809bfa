begin;
select plan(45);
\ir ../session.psql
\ir ../steps.psql

create function everything()
returns text
language sql
as $$
-- Rows of each table: step, attempt, wait, signal, checkpoint, idempotency.
select concat_ws(
    ' ', (select count(*) from tenure_private.step), (select count(*) from tenure_private.attempt),
    (select count(*) from tenure_private.wait), (select count(*) from tenure_private.signal),
    (select count(*) from tenure_private.checkpoint), (select count(*) from tenure_private.idempotency)
)
$$;

create function full_run()
returns bigint
language plpgsql
as $$
-- A completed run with two rows in each table around it, but one key: ten rows in all.
declare
    v_id constant bigint = tenure.enqueue('full', idempotency_key => tenure_private.clock()::text || random());
begin
    perform tenure.signal(v_id, 's', '1');
    perform tenure.signal(v_id, 's', '2');
    perform tenure.claim(array['default'], 'w', 1, '1 m', array['full']);
    perform tenure.checkpoint(v_id, 'w', 1, 'a', '1');
    perform tenure.checkpoint(v_id, 'w', 1, 'b', '1');
    perform tenure.fail(v_id, 'w', 1, '{}', retry_after => '0');
    perform tenure.claim(array['default'], 'w', 1, '1 m', array['full']);
    perform tenure.fail(v_id, 'w', 2, '{}', retry_after => '0');
    perform tenure.claim(array['default'], 'w', 1, '1 m', array['full']);
    perform tenure.sleep(v_id, 'w', 3, '0', 'nap');
    perform tenure.sweep();
    perform tenure.claim(array['default'], 'w', 1, '1 m', array['full']);
    perform tenure.sleep(v_id, 'w', 4, '0', 'nap 2');
    perform tenure.sweep();
    perform tenure.claim(array['default'], 'w', 1, '1 m', array['full']);
    perform tenure.complete(v_id, 'w', 5);
    return v_id;
end
$$;

-- What goes and what stays.
select full_run();
select is(everything(), '1 2 2 2 2 1', 'A run and all that hangs on it');
select set_clock('59 m 59.999999 s');
select is(tenure.purge('1 h'), 0, 'Too young by a microsecond: R-141');
select is(everything(), '1 2 2 2 2 1', 'Nothing went');
select set_clock('1 h');
select is(tenure.purge('1 h'), 10, 'Old enough: all its rows, counted over all tables: R-141');
select is(everything(), '0 0 0 0 0 0', 'Everything went: R-141');
select is(tenure.purge('1 h'), 0, 'Nothing is left');

select tenure.enqueue(n.name, delay => n.delay)
from (
    values
    (1, 'available', interval '0'), (2, 'scheduled', '1000 days'), (3, 'running', '0'), (4, 'sleeping', '0'),
    (5, 'paused', '0'), (6, 'completed', '0'), (7, 'skipped', '0'), (8, 'cancelled', '0'), (9, 'discarded', '0'),
    (10, 'cancelled at work', '0')
) as n (n, name, delay)
order by n.n;
create temporary table names as select
    s.step_id,
    s.name
from tenure.step_status as s;
create function id_of(
    p_name text
) returns bigint language sql as $$ select n.step_id from names as n where n.name = p_name $$;
select count(*) from tenure.claim(
    array['default'],
    'w',
    10,
    '2 h',
    array['running', 'sleeping', 'completed', 'skipped', 'discarded', 'cancelled at work']
);
select tenure.sleep(id_of('sleeping'), 'w', 1, '300 days');
select tenure.complete(id_of('completed'), 'w', 1);
select tenure.skip(id_of('skipped'), 'w', 1);
select tenure.fail(id_of('discarded'), 'w', 1, '{}', 'permanent');
select tenure.cancel(id_of('cancelled'));
select tenure.cancel(id_of('cancelled at work'));
select tenure.pause(id_of('paused'));
select set_clock('2 h 59 m');
-- Four rows of step, one of attempt.
select is(tenure.purge('1 h'), 5, 'Completed, skipped, discarded and cancelled runs go');
select results_eq(
    'select n.name from names as n join tenure.step_status as s on s.step_id = n.step_id order by n.step_id',
    $$ values ('available' collate "C"), ('scheduled'), ('running'), ('sleeping'), ('paused'), ('cancelled at work') $$,
    'What has not ended stays, and what may still run: R-141'
);
select set_clock('3 h');
select is(tenure.purge('0'), 0, 'A lease is not over at its expiry: R-014');
select set_clock('3 h 0.000001 s');
select is(tenure.purge('0'), 2, 'Until its lease has expired: R-141');
select set_clock('900 days');
select is(tenure.purge('0'), 0, 'Age alone ends nothing');
delete from tenure_private.step;
delete from tenure_private.wait;

-- In pieces.
select full_run() as big \gset
select set_clock('901 days');
select is(tenure.purge('1 h', 3), 3, 'At most max_rows rows of all tables: R-142');
select is((select count(*) from tenure_private.step), 1::bigint, 'The run goes last');
select
    is_empty(
        format('select from tenure.step_status as s where s.step_id = %s', :big),
        'From the first call it is hidden: R-142'
    );
select is_empty(format('select from tenure.run_status as s where s.run_id = %s', :big), 'From every view');
select is_empty(format('select from tenure.attempt_log as s where s.run_id = %s', :big), 'So are its attempts');
select throws_ok(format('select tenure.status(%s)', :big), 'TN001', null, 'No function sees it: R-142');
select throws_ok(format('select tenure.result(%s)', :big), 'TN001', null, 'None at all');
select throws_ok(format('select tenure.cancel(%s)', :big), 'TN001', null, 'To cancel');
select throws_ok(format('select tenure.signal(%s, ''s'')', :big), 'TN001', null, 'To signal');
select throws_ok(format('select tenure.pause(%s)', :big), 'TN001', null, 'To pause');
select throws_ok(format('select tenure.retry(%s)', :big), 'TN017', null, 'To retry it is too late: R-143');
select is(tenure.purge('1 h', 3), 3, 'The next piece');
select is(tenure.purge('1 h', 3), 3, 'And the next');
select is(tenure.purge('1 h', 3), 1, 'The last is the row itself');
select is(everything(), '0 0 0 0 0 0', 'Then all is gone: R-141');

-- A key never stands for a run that is hidden.
select tenure.enqueue('full', idempotency_key => 'mine') as keyed \gset
select take();
select tenure.signal(:keyed, 's');
select tenure.checkpoint(:keyed, 'w', 1, n.key, '1') from (values ('a'), ('b')) as n (key);
select tenure.complete(:keyed, 'w', 1);
select set_clock('902 days');
select is(tenure.purge('1 h', 1), 1, 'The first row of a run that takes several calls');
select
    isnt(
        tenure.enqueue('full', idempotency_key => 'mine'), :keyed::bigint, 'Its key is free from then on: R-129, R-142'
    );
delete from tenure_private.step;
delete from tenure_private.idempotency;
delete from tenure_private.signal;
delete from tenure_private.checkpoint;

-- A run that has lost all but its row is hidden too.
select tenure.enqueue('full') as bare \gset
select take();
select tenure.checkpoint(:bare, 'w', 1, 'a', '1');
select tenure.fail(:bare, 'w', 1, '{}', 'permanent');
select set_clock('903 days');
select is(tenure.purge('1 h', 2), 2, 'All but its row went');
select throws_ok(
    format('select tenure.retry(%s)', :bare), 'TN017', null, 'It cannot be retried any more: R-142, R-143'
);
select throws_ok(format('select tenure.status(%s)', :bare), 'TN001', null, 'Nor seen: R-142');
select is(tenure.purge('1 h', 2), 1, 'The row goes with the next call');
select is(everything(), '0 0 0 0 0 0', 'And nothing is left');

-- Many, oldest first.
select tenure.enqueue_many((select jsonb_agg('{"name": "n"}'::jsonb) from generate_series(1, 50)));
update tenure_private.step as s
set state = 'completed', finished_at = timestamptz '2030-01-01 00:00:00+00' - s.step_id * interval '1 s';
create temporary table ages as select
    s.step_id,
    s.finished_at
from tenure_private.step as s;
select is(tenure.purge('1 h', 20), 20, 'Twenty of fifty');
select is(
    (
        select max(a.finished_at)
        from ages as a
        where not exists (select from tenure_private.step as s where s.step_id = a.step_id)
    ),
    (select a.finished_at from ages as a order by a.finished_at limit 1 offset 19), 'The oldest: R-142'
);
select is_empty('select from tenure_private.step as s where s.purging', 'No run is hidden that would go whole');
select is(tenure.purge('1 h'), 30, 'A thousand rows by default');

-- A child goes with its run, not for itself.
select tenure.enqueue('flow');
select add_child(s.step_id, 900000, '{"state": "completed", "finished_at": "2030-01-01T00:00:00+00:00"}')
from tenure.step_status as s where s.name = 'flow';
select is(tenure.purge('1 h'), 0, 'Nothing of a run that has not ended is removed');

-- Refused.
select
    throws_ok(
        format('select tenure.purge(%s)', w.arguments), w.code, null, format('purge(%s) is refused', w.arguments)
    )
from (
    values
    ('null', 'TN007'),
    ('''-1 s''', 'TN006'),
    ('''1 mon''', 'TN006'),
    ('''1 h'', 0', 'TN007'),
    ('''1 h'', -1', 'TN007'),
    ('''1 h'', 100001', 'TN007'),
    ('''1 h'', null', 'TN007')
) as w (arguments, code);

select * from finish();
rollback;
