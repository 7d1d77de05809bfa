begin;
select plan(4);
\ir ../session.psql
\ir ../steps.psql

-- Calls, and undoes what it did; the answer is told all the same.
create function undone(p_call text)
returns text
language plpgsql
as $$
declare
    v_answer text;
begin
    begin
        execute p_call into strict v_answer;
        raise exception using errcode = 'UNDO0';
    exception when sqlstate 'UNDO0' then
        return v_answer;
    end;
end
$$;

select tenure.enqueue('t');
select undone('select take()');
select is(
    (select s.lease_generation from tenure.step_status as s where s.step_id = 1), 0::bigint,
    'A claim that is rolled back gives its generation back: R-005'
);
select take();
select is(undone($$select tenure.complete(1, 'w', 1)$$), 'completed', 'A report is decided when it is called');
select is((tenure.status(1)).state, 'running', 'Rolled back, it has changed nothing: R-052');
select is(tenure.complete(1, 'w', 1), 'completed', 'It can be given again: R-052');

select * from finish();
rollback;
