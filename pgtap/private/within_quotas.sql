begin;
select plan(5);
\ir ../session.psql
\ir ../steps.psql

-- open_tracks() asks it where a track has a quota.
create function within()
returns text
language sql
as $$
select string_agg(t.name, ' ' order by t.name)
from unnest(tenure_private.open_tracks('{default}', null, tenure_private.clock())) as t
$$;

select tenure.set_quota('http', 1);
select tenure.set_quota('idle', 1);
select tenure.define_step('get', quota => 'http');
select tenure.define_step('rest', quota => 'idle');
select tenure.define_step('plain');
select is(within(), 'plain', 'Where nothing of a quota is due, its tracks are left out');
select tenure.enqueue('get');
select tenure.enqueue('get');
select tenure.enqueue('plain');
select tenure.enqueue('rest', delay => '1 h');
select is(within(), 'get plain', 'What is due and has room comes: R-463');
select is(take(), 2::bigint, 'One of each is taken');
select is(within(), 'plain', 'Full, it is left out: R-463');
select tenure.complete(1, 'w', 1);
select is(within(), 'get plain', 'With room again, it is back');

select * from finish();
rollback;
