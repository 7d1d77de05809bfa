begin;
select plan(6);
\ir ../session.psql
\ir ../steps.psql

create function quotas()
returns text
language sql
as $$
select string_agg(format('%s %s/%s', q.quota, q.in_use, q.capacity), ', ' order by q.quota)
from tenure.quota_status as q
$$;

select is(quotas(), null, 'None, no row');
select tenure.set_quota('http', 5);
select tenure.set_quota('idle', 0);
select is(quotas(), 'http 0/5, idle 0/0', 'A row a quota: R-474');
select tenure.define_step('a', quota => 'http');
select tenure.define_step('b', quota => 'http', quota_units => 3);
select tenure.enqueue('a');
select tenure.enqueue('b');
select tenure.enqueue('a');
select is(quotas(), 'http 0/5, idle 0/0', 'What waits uses nothing: R-464, R-474');
select take();
select is(quotas(), 'http 5/5, idle 0/0', 'What runs does: R-474');
select tenure.set_quota('http', 4);
select is(quotas(), 'http 5/4, idle 0/0', 'Over a lowered capacity too: R-468, R-474');
select tenure.complete(2, 'w', 1);
select is(quotas(), 'http 2/4, idle 0/0', 'What has ended uses nothing: R-464, R-474');

select * from finish();
rollback;
