begin;
select plan(25);
\ir ../session.psql
\ir ../steps.psql

-- The code that a call raises, and whether it says what is wrong, with which values, and what to do.
create function raised(p_call text)
returns text
language plpgsql
as $$
declare
    v_code text;
    v_message text;
    v_hint text;
begin
    execute p_call;
    return 'nothing';
exception when others then
    get stacked diagnostics v_code = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
    return v_code
        || case when length(v_message) between 10 and 200 then '' else ', no message' end
        || case when v_hint <> '' then '' else ', no hint' end;
end
$$;

select tenure.enqueue('t') from generate_series(1, 6);
select take();
select tenure.fail(2, 'w', 1, '"e"', kind => 'permanent');
select tenure.cancel(3);
select tenure.complete(4, 'w', 1);
select tenure.fail(5, 'w', 1, '"e"', kind => 'permanent');
update tenure_private.step set purging = true where step_id = 5;
select add_child(1, 500);

-- One call for each code, and the whole table of codes.
create table expected (code text, kind text, call text);
insert into expected (code, kind, call) values
('TN001', 'step_not_found', 'select tenure.status(999)'),
('TN002', 'not_a_run', 'select tenure.status(500)'),
('TN003', 'queue_unknown', 'select tenure.enqueue(''t'', queue => ''nope'')'),
('TN004', 'queue_differs', 'select tenure.create_queue(''default'', ''delivery'')'),
('TN005', 'name_invalid', 'select tenure.enqueue('''')'),
('TN006', 'duration_invalid', 'select tenure.enqueue(''t'', timeout => ''1 month'')'),
('TN007', 'argument_invalid', 'select tenure.enqueue(''t'', priority => 101)'),
('TN008', 'too_large', 'select tenure.enqueue(''t'', to_jsonb(repeat(''x'', 1048577)))'),
('TN009', 'timeout_out_of_bounds', 'select tenure.enqueue(''t'', queue => ''d'', timeout => ''1 h'')'),
('TN010', 'invalid_transition', 'select tenure.retry(3)'),
('TN011', 'not_finished', 'select tenure.result(1)'),
('TN012', 'run_discarded', 'select tenure.result(2)'),
('TN013', 'run_cancelled', 'select tenure.result(3)'),
('TN014', 'stale', 'select tenure.checkpoint(1, ''v'', 1, ''k'')'),
('TN015', 'quota_unknown', 'select tenure.define_step(''t'', quota => ''q'')'),
('TN016', 'isolation_level', null),
('TN017', 'run_purging', 'select tenure.retry(5)'),
('TN018', 'queue_not_granted', 'select as_worker(''select from tenure.claim(array[''''d''''], ''''w'''')'')'),
('TN019', 'role_unknown', 'select tenure.grant_queue(''d'', ''nobody at all'')'),
('TN030', 'workflow_unknown', 'select tenure.start(''unknown'')'),
('TN031', 'workflow_invalid', 'select tenure.define_workflow(''w'', ''{"nodes": []}'')');
select tenure.create_queue('d', 'delivery');
select tenure.grant_queue('d', 'tenure_reader');
create function as_worker(p_call text)
returns void
language plpgsql
as $$
begin
    set local role tenure_worker;
    execute p_call;
end
$$;

select is(raised(e.call), e.code, format('%s is %s: R-144', e.kind, e.code))
from expected as e
where e.call is not null
order by e.code;

select set_eq(
    $$select m[2] || ' ' || m[1]
    from regexp_matches(
        (select p.prosrc from pg_proc as p where p.oid = 'tenure_private.refuse'::regproc),
        'when ''(\w+)'' then ''(TN\d{3})''', 'g'
    ) as m$$,
    'select e.code || '' '' || e.kind from expected as e',
    'The table of codes is complete: R-144'
);
select is_empty(
    $$select p.oid::regprocedure from pg_proc as p
    where p.pronamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and p.proname <> 'refuse'
        and p.prosrc ~* '\mraise\s+exception\M' and p.prosrc !~ 'XX000'$$,
    'Every refusal goes through it; all else is a defect and says so: R-144'
);

-- Names and values stand in DETAIL, not in MESSAGE, so that messages can be grouped.
create function message_of(p_call text)
returns text
language plpgsql
as $$
begin
    execute p_call;
    return null;
exception when others then
    return sqlerrm;
end
$$;
select is(
    message_of('select tenure.status(998)'), message_of('select tenure.status(999)'),
    'A message does not depend on the values: R-144'
);
select throws_ok(
    'select tenure.enqueue(''t'', queue => ''nope'')', 'TN003', 'there is no such queue',
    'It is a plain sentence: R-144'
);
select is(
    (select count(*) from tenure.step_status), 6::bigint, 'None of these calls has written anything: R-145'
);

select * from finish();
rollback;
