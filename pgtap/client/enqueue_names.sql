begin;
select plan(5);
\ir ../session.psql

-- Names that other systems choked on: as name, queue, key, input and headers of one step.
create temporary table odd (n int generated always as identity, name text);
insert into odd (name)
values
('a b'),
('Foo'),
('foo'),
('a"b'),
('a''b'),
('a;drop table x'),
('$$'),
('$function$'),
('%I'),
('%s %'),
('--'),
('/*'),
('a.b'),
('a\b'),
('\n'),
(E'a\nb'),
(E'a\tb'),
('ünïcödé'),
(U&'\00E9'),
(U&'e\0301'),
('x '),
(' x'),
('x'),
('select'),
('null'), ('NULL'), ('{}'), (''''), ('🐘'), (repeat('a', 47)), (repeat('a', 48)), (repeat('a', 63)), (repeat('a', 64)),
(repeat('a', 63) || 'b'), (repeat('é', 32)), (repeat('é', 31) || 'è'), (repeat('a', 200)), (repeat('a', 1000)),
(repeat('é', 500));
select tenure.create_queue(o.name) from odd as o where o.name <> 'default' order by o.n;
select
    tenure.enqueue(
        o.name,
        to_jsonb(o.name),
        queue => o.name,
        idempotency_key => o.name,
        headers => jsonb_build_object(o.name, o.name)
    )
from odd as o
order by o.n;

select is((select count(*) from tenure.queue_status), 40::bigint, 'No two names share a queue');
select is((select count(distinct s.step_id) from tenure.step_status as s), 39::bigint, 'Or a key');
select results_eq(
    $$ select s.name collate "default", s.queue collate "default", s.input #>> '{}', s.headers
       from tenure.step_status as s order by s.step_id $$,
    'select o.name, o.name, o.name, jsonb_build_object(o.name, o.name) from odd as o order by o.n',
    'They come back as they went in: R-159'
);
select results_eq(
    'select tenure.enqueue(o.name, idempotency_key => o.name) from odd as o order by o.n',
    'select s.step_id from tenure.step_status as s order by s.step_id',
    'Each key finds its own run: R-128'
);
select is(
    (
        select count(*)
        from odd as o
        cross join lateral tenure.claim(array[o.name], o.name, 100, names => array[o.name]) as c
        where c.name = o.name and c.queue = o.name and c.input #>> '{}' = o.name
    ),
    39::bigint,
    'Each queue and name is claimed from alone: R-034, R-035'
);

select * from finish();
rollback;
