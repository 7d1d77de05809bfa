create or replace function tenure_private.retire(p_now timestamptz, p_rows int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Walks the runs that ended longer ago than the shortest retention, in the order in which they ended, round and
-- round, p_rows of them each time: queues keep theirs for different times, so those that stay must not stand in the
-- way of those that go. Those that ended at one instant are looked at together, or more than p_rows would bar the way.
declare
    v_from constant timestamptz = (tenure_private.newest_head(-1)).head;
    v_until timestamptz;
    v_last timestamptz;
    v_seen bigint;
    v_ids bigint [];
begin
    select p_now - least(min(q.retention), min(q.discarded_retention)) into strict v_until
    from tenure_private.queue as q;
    with seen as materialized (
        select s.step_id, s.finished_at, s.state, s.track_id, s.lease_expiry
        from tenure_private.step as s
        where s.finished_at is not null and s.parent_id is null and s.finished_at > v_from and s.finished_at <= v_until
        order by s.finished_at
        fetch first p_rows rows with ties
    )
    select
        max(n.finished_at), count(*),
        array_agg(n.step_id) filter (
            where n.finished_at <= p_now - case n.state when 'discarded' then q.discarded_retention else q.retention end
            and (n.lease_expiry is null or n.lease_expiry < p_now)
        )
    into strict v_last, v_seen, v_ids
    from seen as n
    join tenure_private.track as t on t.track_id = n.track_id
    join tenure_private.queue as q on q.queue_id = t.queue_id;
    if v_ids is not null then
        perform tenure_private.purge_runs(v_ids, p_rows);
    end if;
    insert into tenure_private.head (track_id, head, mark_at)
    values (-1, case when v_seen >= p_rows then v_last else '-infinity' end, p_now);
end
$function$;
comment on function tenure_private.retire(timestamptz, int) is 'Purges runs that have outlived their queue''s retention, looking at p_rows finished runs a time.';
revoke all on function tenure_private.retire(timestamptz, int) from public;
