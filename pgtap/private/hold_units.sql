begin;
select plan(6);
\ir ../session.psql
\ir ../steps.psql

select tenure.set_quota('http', 9);
select tenure.define_step('get', quota => 'http');
select tenure.define_step('plain');

create function held()
returns bigint[]
language sql
as $$
select array(select u.id from unnest(h.step_ids) as u (id) order by u.id)
from tenure_private.quota as q
cross join lateral tenure_private.newest_hold(q.quota_id) as h
$$;

-- As a claim does: makes them running afterwards.
create function hold(p_step_ids bigint[])
returns void
language sql
as $$
select tenure_private.hold_units((
    select row(array_agg(s.step_id), array_agg(s.track_id))::tenure_private.picked
    from tenure_private.step as s
    where s.step_id = any(p_step_ids)
));
update tenure_private.step set state = 'running', lease_owner = 'w', lease_generation = 1 where step_id = any(p_step_ids);
$$;

select tenure.enqueue(case g.n when 2 then 'plain' else 'get' end) from generate_series(1, 6) as g (n);
select is(held(), '{}', 'None yet');
select hold('{1, 2, 3}');
select is(held(), '{1, 3}', 'Steps without a quota hold nothing');
select hold('{4}');
select is(held(), '{1, 3, 4}', 'What runs is kept: R-463');
select tenure.complete(3, 'w', 1);
select hold('{5}');
select is(held(), '{1, 4, 5}', 'What has stopped is not: R-464');
select hold('{2}');
select is((select count(*) from tenure_private.quota_hold), 1::bigint, 'One row is left of all of them');
select tenure_private.hold_units(row('{}', '{}')::tenure_private.picked);
select is(held(), '{1, 4, 5}', 'Nothing picked, nothing changed');

select * from finish();
rollback;
