begin;
select plan(50);
\ir ../session.psql

create table nasty (n int generated always as identity, name text);
insert into nasty (name)
select u.name
from unnest(array[
    'a b', 'Foo', 'foo', 'FOO', 'a"b', 'a''b', 'a;drop table tenure_private.step; --', '$$', '$function$', '%I', '%s %',
    '--', '/*', 'a.b', 'ünïcödé', 'select', 'null', 'NULL', '\', '\''', E'tab\tand\nnewline', ' leading', 'trailing ',
    'trailing', '{a,b}', '{', '"', ',', ':', 'sleep:1', '💥', 'שלום', 'user', '0', 'true', '[]', '(1,2)', E'\u00e9',
    E'e\u0301',
    repeat('x', 63), repeat('x', 64), repeat('x', 65), repeat('x', 199) || 'a', repeat('x', 199) || 'b',
    repeat('é', 500), repeat('z', 1000)
]) as u (name);

-- One step's life in which the name stands everywhere: what comes back, or what was wrong.
create function lived(p_name text)
returns text
language plpgsql
as $$
declare
    v_id bigint;
    v_claimed tenure.claimed;
begin
    perform tenure.create_queue(p_name);
    perform tenure.define_step(p_name, queue => p_name, timeout => '20 s');
    v_id := tenure.enqueue(
        p_name, jsonb_build_object(p_name, p_name), idempotency_key => p_name, headers => jsonb_build_object(p_name, 1)
    );
    if tenure.enqueue(p_name, idempotency_key => p_name) <> v_id then
        return 'the key made another run';
    end if;
    perform tenure.worker_hello(p_name, array[p_name], true, jsonb_build_object(p_name, p_name));
    select c.* into v_claimed from tenure.claim(array[p_name], p_name, 1000, '1 h', array[p_name]) as c;
    if (v_claimed.name, v_claimed.queue, v_claimed.input ->> p_name, v_claimed.headers -> p_name)
        is distinct from (p_name, p_name, p_name, '1'::jsonb) or v_claimed.step_id <> v_id
    then
        return format('claimed %s', v_claimed);
    elsif tenure.checkpoint(v_id, p_name, 1, p_name, to_jsonb(p_name)) <> to_jsonb(p_name) then
        return 'checkpoint';
    elsif (tenure.heartbeat(v_id, p_name, 1, to_jsonb(p_name))).verdict <> 'renewed' then
        return 'heartbeat';
    elsif (select b.verdict from tenure.heartbeat_many(array[v_id], p_name, '{1}') as b) <> 'renewed' then
        return 'heartbeat_many';
    elsif not exists (
        select from tenure.lease_status as l where l.owner = p_name and l.name = p_name and l.progress = to_jsonb(p_name)
    ) then
        return 'lease_status';
    elsif not exists (select from tenure.worker_status as w where w.owner = p_name and w.queues = array[p_name]) then
        return 'worker_status';
    elsif tenure.wait_signal(v_id, p_name, 1, p_name, key => p_name) <> 'waiting' then
        return 'wait_signal';
    elsif tenure.wait_signal(v_id, p_name, 1, p_name, key => p_name) <> 'waiting' then
        return 'wait_signal again';
    elsif tenure.signal(v_id, p_name, to_jsonb(p_name)) <> 'delivered' then
        return 'signal';
    end if;
    select c.* into v_claimed from tenure.claim(array[p_name], p_name, 1, '1 h') as c;
    if v_claimed.signal <> jsonb_build_object(
        'key', p_name, 'kind', 'signal', 'signal', p_name, 'outcome', 'arrived', 'payload', p_name
    ) then
        return format('signal %s', v_claimed.signal);
    elsif tenure.fail(
        v_id, p_name, 2, jsonb_build_object('type', p_name, 'message', p_name), kind => 'timeout'
    ) <> 'timed_out' then
        return 'fail';
    elsif tenure.fail(v_id, p_name, 2, null) <> 'timed_out' then
        return 'fail again';
    elsif not exists (
        select from tenure.step_status as s
        where s.step_id = v_id and s.name = p_name and s.queue = p_name and s.error ->> 'step' = p_name
    ) then
        return 'step_status';
    elsif not exists (select from tenure.attempt_log as a where a.step_id = v_id and a.owner = p_name and a.name = p_name) then
        return 'attempt_log';
    elsif tenure.cancel(v_id, p_name) <> 1 or (tenure.status(v_id)).cancel_reason <> p_name then
        return 'cancel';
    end if;
    perform tenure.pause_queue(p_name);
    perform tenure.resume_queue(p_name);
    perform tenure.alter_queue(p_name, retention => '1 h');
    perform tenure.worker_report(p_name, to_jsonb(p_name));
    return 'well';
end
$$;

select is(lived(n.name), 'well', format('A name is data: %s: R-159', left(to_json(n.name)::text, 60)))
from nasty as n
order by n.n;
-- None of them shares anything with another: letter case, trailing spaces, long common beginnings, NFC and NFD.
select is(
    (select count(distinct q.queue) from tenure.queue_status as q where q.queue <> 'default'), 46::bigint,
    'Each name has its own queue: R-159'
);
select is(
    (select count(distinct s.name) from tenure.step_status as s), 46::bigint, 'And its own steps: R-159'
);
select is(
    (select count(distinct w.owner) from tenure.worker_status as w), 46::bigint, 'And its own worker: R-159'
);

-- Payloads too.
select tenure.enqueue('doc', jsonb_build_object('text', repeat('"\$$''; drop table x; --', 40000)));
select is(
    (select md5(c.input ->> 'text') from tenure.claim(array['default'], 'w') as c),
    '439fadf75e3320dbe0f1ec33d381694c', 'Nearly 1 MB of quotes: R-159'
);

select * from finish();
rollback;
