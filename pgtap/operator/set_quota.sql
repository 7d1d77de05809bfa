begin;
select plan(16);
\ir ../session.psql
\ir ../steps.psql

create function capacity_of(p_name text)
returns int
language sql
as $$ select q.capacity from tenure_private.quota as q where q.name = p_name $$;

select tenure.set_quota('http', 2);
select is(capacity_of('http'), 2, 'Made: R-460');
select tenure.set_quota('http', 1);
select is(capacity_of('http'), 1, 'Changed: R-460');
select tenure.set_quota('HTTP', 7);
select is(capacity_of('http'), 1, 'Another name is another quota');
select tenure.set_quota('a "b" $$', 2147483647);
select is(capacity_of('a "b" $$'), 2147483647, 'Names are data, and any capacity is good: R-159');
create temporary table written as
select q.ctid as place from tenure_private.quota as q where q.name = 'http';
select tenure.set_quota('http', 1);
select is(
    (select q.ctid from tenure_private.quota as q where q.name = 'http'), (select w.place from written as w),
    'The same again writes nothing'
);

-- Lowered and raised while steps run.
select tenure.set_quota('http', 3);
select tenure.define_step('get', quota => 'http');
select tenure.enqueue('get') from generate_series(1, 6);
select is(take(), 3::bigint, 'Three of six');
select tenure.set_quota('http', 1);
select is((select count(*) from tenure.lease_status), 3::bigint, 'Lowered it touches none that runs: R-468');
select is((tenure.heartbeat(1, 'w', 1)).verdict, 'renewed', 'Nor their leases: R-468');
select tenure.complete(1, 'w', 1);
select tenure.complete(2, 'w', 1);
select is(take(), 0::bigint, 'But nothing is claimed before there is room again: R-468');
select tenure.complete(3, 'w', 1);
select is(take(), 1::bigint, 'Then as much as there is room for now: R-468');
select tenure.set_quota('http', 0);
select tenure.complete(4, 'w', 1);
select is(take(), 0::bigint, 'At 0 nothing at all: R-468');
select tenure.set_quota('http', 2);
select is(take(), 2::bigint, 'Raised, they go on: R-468');

select
    throws_ok(
        format('select tenure.set_quota(%s)', w.arguments), w.code, null, format('%s is refused: R-460', w.arguments)
    )
from (
    values
    ('''http'', -1', 'TN007'), ('''http'', null', 'TN007'), ('null, 1', 'TN005'), (''''', 1', 'TN005')
) as w (arguments, code);

select * from finish();
rollback;
