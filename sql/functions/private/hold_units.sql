create or replace function tenure_private.hold_units(p_picked tenure_private.picked)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What does not run any more is left out here and nowhere else: reports write nothing for a quota.
begin
    with added as (
        select u.quota_id, array_agg(p.step_id) as step_ids
        from unnest(p_picked.step_ids, p_picked.track_ids) as p (step_id, track_id)
        join tenure_private.track as t on t.track_id = p.track_id
        cross join unnest(t.quota_ids) as u (quota_id)
        group by u.quota_id
    ),
    newest as materialized (
        select a.quota_id, a.step_ids as added, h.seq, h.step_ids
        from added as a
        cross join tenure_private.newest_hold(a.quota_id) as h
    ),
    replaced as (
        delete from tenure_private.quota_hold as h
        using newest as n
        where h.quota_id = n.quota_id and h.seq = n.seq
    )
    insert into tenure_private.quota_hold (quota_id, step_ids)
    select
        n.quota_id,
        n.added || array(
            select s.step_id from tenure_private.step as s where s.step_id = any(n.step_ids) and s.state = 'running'
        )
    from newest as n;
end
$function$;
comment on function tenure_private.hold_units(tenure_private.picked) is
'Notes the steps that a claim has picked under the quotas of their tracks, which it has locked.';
revoke all on function tenure_private.hold_units(tenure_private.picked) from public;
