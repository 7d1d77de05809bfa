create or replace function tenure_private.keep_house()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    if tenure_private.chore_due(-1, v_now, interval '1 second') then
        perform tenure_private.retire(v_now, 2000);
    end if;
    if tenure_private.chore_due(-2, v_now, interval '30 seconds') then
        delete from tenure_private.waiter as d
        where d.waiter_id in (
            select w.waiter_id from tenure_private.waiter as w where w.expires_at < v_now for update skip locked
        );
        delete from tenure_private.worker as d
        where d.owner in (
            select w.owner from tenure_private.worker as w where w.expires_at < v_now - interval '168 hours' for update skip locked
        );
        delete from tenure_private.head as h
        where h.seq < (tenure_private.newest_head(h.track_id)).seq;
        perform tenure_private.look_behind(v_now);
    end if;
end
$function$;
comment on function tenure_private.keep_house() is 'What the sweep does now and then besides: retention, and the clearing away of what has expired.';
revoke all on function tenure_private.keep_house() from public;
