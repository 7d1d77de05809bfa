create or replace function tenure_private.open_tracks(p_queues text[], p_names text[], p_now timestamptz)
returns tenure_private.open_track[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: quotas, see within_quotas().
declare
    v_tracks tenure_private.open_track [];
    v_limited boolean;
begin
    if array_ndims(p_queues) > 1 then
        perform tenure_private.refuse(
            'argument_invalid', 'queues is no plain array', format('It has %s dimensions.', array_ndims(p_queues)),
            'Give an array of names.'
        );
    elsif p_queues is null or array_position(p_queues, null) is not null then
        perform tenure_private.check_name(null, 'queue');
    end if;
    -- In the usual case, known queues and no grants, nothing is called.
    perform tenure_private.check_queue((tenure_private.find_queue(u.name)).queue_id, u.name)
    from unnest(p_queues) as u (name)
    where not exists (select from tenure_private.queue as q where q.name = u.name)
        or exists (select from tenure_private.queue_grant as g);
    -- A head in the future is one that was set before the clock was set back.
    select
        array_agg(row(
            t.track_id, t.priority,
            case when h.head <= p_now then least(h.head, b.scheduled_at) else '-infinity' end, h.mark_at, t.name,
            q.name
        )::tenure_private.open_track),
        bool_or(t.quota_ids is not null)
    into strict v_tracks, v_limited
    from tenure_private.queue as q
    -- Each name is looked up in the index: one that is not asked for costs nothing.
    cross join lateral (
        select t.track_id, t.priority, t.name, t.quota_ids
        from (select distinct u.name from unnest(p_names) as u (name)) as n
        join tenure_private.track as t on t.queue_id = q.queue_id and t.name = n.name
        union all
        select t.track_id, t.priority, t.name, t.quota_ids
        from tenure_private.track as t
        where p_names is null and t.queue_id = q.queue_id
    ) as t
    left join lateral (
        select h.head, h.mark_at
        from tenure_private.head as h
        where h.track_id = t.track_id
        order by h.seq desc
        limit 1
    ) as h on true
    left join (
        select b.track_id, min(b.scheduled_at) as scheduled_at from tenure_private.behind as b group by b.track_id
    ) as b on b.track_id = t.track_id
    where q.name = any(p_queues) and q.paused_at is null;
    if v_limited then
        return tenure_private.within_quotas(v_tracks, p_now);
    end if;
    return v_tracks;
end
$function$;
comment on function tenure_private.open_tracks(text[], text[], timestamptz) is
'The tracks of these names in these queues, without those of paused queues and those whose quotas have no room; refuses an unknown queue (TN003) and one that the caller may not use (TN018).';
revoke all on function tenure_private.open_tracks(text[], text[], timestamptz) from public;
