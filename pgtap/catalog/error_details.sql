begin;
select plan(18);
\ir ../session.psql

-- What a refused call says beside its message.
create function lacks(p_call text)
returns text
language plpgsql
as $$
declare
    v_code text;
    v_detail text;
    v_hint text;
begin
    execute p_call;
    return 'a refusal';
exception when others then
    get stacked diagnostics v_code = returned_sqlstate, v_detail = pg_exception_detail, v_hint = pg_exception_hint;
    return concat_ws(
        ', ', case when v_code not like 'TN%' then 'a code, not ' || v_code end,
        case when v_detail = '' then 'a detail' end, case when v_hint = '' then 'a hint' end
    );
end
$$;

select is(lacks(c.call), '', format('Nothing is missing in %s: R-144', c.call))
from (
    values
    ('select tenure.enqueue(null)'),
    ('select tenure.enqueue('''')'),
    ('select tenure.enqueue(''t'', queue => '''')'),
    ('select tenure.enqueue(''t'', idempotency_key => '''')'),
    ('select tenure.enqueue(''t'', scheduled_at => now(), delay => ''1 s'')'),
    ('select tenure.enqueue(''t'', timeout => ''1 month'')'),
    ('select tenure.enqueue_many(''[{"name": "t", "delay": {}}]'')'),
    ('select tenure.enqueue_many(''[{"name": "t", "delay": "x"}]'')'),
    ('select tenure.claim(array[''default''], null)'),
    ('select tenure.claim(array[''default''], '''')'),
    ('select tenure.claim(array[''default''], ''w'', null)'),
    ('select tenure.claim(array[''default''], ''w'', 1, null)'),
    ('select tenure.sleep(1, ''w'', 1, null)'),
    ('select tenure.sleep(1, ''w'', 1, ''1 s'', '''')'),
    ('select tenure.wait_signal(1, ''w'', 1, null)'),
    ('select tenure.complete(null, ''w'', 1)'),
    ('select tenure.worker_hello(''w'', null, true)'),
    ('select tenure.worker_hello(''w'', array[''default''], null)')
) as c (call);

select * from finish();
rollback;
