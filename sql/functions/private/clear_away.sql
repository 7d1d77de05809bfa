create or replace function tenure_private.clear_away(p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    delete from tenure_private.waiter as d
    where d.waiter_id in (
        select w.waiter_id from tenure_private.waiter as w where w.expires_at < p_now for update skip locked
    );
    delete from tenure_private.worker as d
    where d.owner in (
        select w.owner
        from tenure_private.worker as w
        where w.expires_at < p_now - interval '168 hours'
        for update skip locked
    );
    delete from tenure_private.head as h
    where h.seq < (tenure_private.newest_head(h.track_id)).seq;
end
$function$;
comment on function tenure_private.clear_away(timestamptz) is 'Removes waiters whose hello is over, workers not heard of for a week, and heads that are not the newest.';
revoke all on function tenure_private.clear_away(timestamptz) from public;
