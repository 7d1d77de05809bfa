begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql

create temporary table track_of as
with quota as (
    insert into tenure_private.quota (name, capacity) values ('one', 1), ('two', 2)
    returning quota_id, name
),

wanted as (
    select
        w.name,
        array(select q.quota_id from quota as q where q.name = any(w.quotas) order by q.quota_id) as ids,
        w.units
    from (
        values ('plain', '{}'::text[], null), ('one', '{one}', 1), ('heavy', '{one}', 2), ('both', '{one, two}', 1)
    ) as w (name, quotas, units)
)

select
    w.name,
    w.ids,
    tenure_private.find_track(
        (tenure_private.find_queue('default')).queue_id, 0, w.name, nullif(w.ids, '{}'), w.units
    ) as track_id
from wanted as w;

create function fit(p_quotas text[], p_names text[] default '{plain, one, heavy, both}')
returns text
language sql
as $$
select string_agg(t.name, ' ' order by t.name)
from unnest(tenure_private.fit_tracks(
    array(
        select row(k.track_id, 0, '-infinity', null, k.name, 'default')::tenure_private.open_track
        from track_of as k
        where k.name = any(p_names)
        order by k.track_id
    ),
    array(select q.quota_id from tenure_private.quota as q where q.name = any(p_quotas))
)) as t
$$;

select is(
    fit('{one, two}'), 'both one plain', 'Those without a quota, and those with room for one of their steps: R-463'
);
select is(fit('{one}'), 'one plain', 'A track needs every one of its quotas: R-470');
select is(fit('{two}'), 'plain', 'Whichever is missing: R-470');
select is(fit('{}'), 'plain', 'Without quotas the plain ones');
select is(fit(null), 'plain', 'NULL is none');
select is(fit('{one}', '{heavy}'), null, 'What never fits is left out');
select is(fit('{one}', '{}'), null, 'Of nothing, nothing');
update tenure_private.quota set capacity = 2 where name = 'one';
select is(fit('{one, two}'), 'both heavy one plain', 'With more room, more');

select * from finish();
rollback;
