begin;
select plan(8);

select tenure.set_quota(q.name, 1) from (values ('a'), ('b'), ('c')) as q (name);
create function quotas(p_around text[], p_node text, p_defined text, p_map_key text default null)
returns text[]
language sql
as $$
select array_agg(q.name order by q.name)
from unnest(tenure_private.leaf_quotas(
    jsonb_populate_record(null::tenure_private.node, jsonb_build_object('quota', p_node, 'map_key', p_map_key)),
    array(select i.quota_id from tenure_private.quota as i where i.name = any(p_around)),
    jsonb_populate_record(null::tenure_private.definition, jsonb_build_object(
        'quota_id', (select i.quota_id from tenure_private.quota as i where i.name = p_defined)
    ))
)) as u (quota_id)
join tenure_private.quota as q on q.quota_id = u.quota_id
$$;

select is(quotas('{}', null, null), null, 'None');
select is(quotas('{}', null, 'a'), '{a}', 'Its definition''s: R-498');
select is(quotas('{}', 'b', 'a'), '{b}', 'Its own instead: R-498');
select is(quotas('{c}', null, 'a'), '{a, c}', 'With those around it: R-498');
select is(quotas('{b, c}', 'b', null), '{b, c}', 'Each once: R-498');
select is(quotas('{b}', 'b', 'a', 'items'), '{a, b}', 'An element of a map: its definition''s besides: R-498');
-- So it is claimed.
select tenure.set_quota('wide', 9);
select tenure.define_step('work', quota => 'a');
select tenure.define_workflow('map', '{"nodes": [{"name": "work", "map": "items", "quota": "wide"}]}');
select tenure.start('map', '{"items": [1, 2, 3]}');
select is((select count(*) from tenure.claim('{default}', 'w', 9)), 1::bigint, 'Both bound how many run: R-463, R-498');
select is(
    tenure_private.leaf_quotas(null, array(select q.quota_id from tenure_private.quota as q order by 1 desc), null),
    array(select q.quota_id from tenure_private.quota as q order by 1), 'In rising order, as find_track() wants them'
);

select * from finish();
rollback;
