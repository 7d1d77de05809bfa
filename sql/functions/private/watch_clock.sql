create or replace function tenure_private.watch_clock()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- One row, written at most once a second, and never waited for: another sweep is doing the same. The clock is read
-- after the row: read before, a session that was held up in between would take another's later clock for a step back.
declare
    v_now timestamptz;
    v_seen timestamptz;
begin
    select h.seen_at into v_seen from tenure_private.high_clock as h;
    v_now := tenure_private.clock();
    if v_now between v_seen - interval '1 second' and v_seen + interval '1 second' then
        return;
    end if;
    perform from tenure_private.high_clock as h where h.seen_at = v_seen for no key update skip locked;
    if not found then
        return;
    end if;
    update tenure_private.high_clock as h set seen_at = v_now where h.seen_at = v_seen;
    if v_now < v_seen then
        perform tenure_private.turn_back(v_now, v_seen);
    end if;
end
$function$;
comment on function tenure_private.watch_clock() is
'Notices a clock that was set back by more than a second, and then has everything that was set by the old clock set anew.';
revoke all on function tenure_private.watch_clock() from public;
