create or replace function tenure_private.chore_due(p_chore int, p_now timestamptz, p_every interval)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Kept beside the heads, under negative numbers, because it is appended to in the same way.
declare
    v_last constant tenure_private.head = tenure_private.newest_head(p_chore);
begin
    if (p_now >= v_last.mark_at and p_now < v_last.mark_at + p_every)
        or not pg_try_advisory_xact_lock(tenure_private.head_lock(), p_chore)
    then
        return false;
    end if;
    insert into tenure_private.head (track_id, head, mark_at)
    values (p_chore, coalesce(v_last.head, '-infinity'), p_now);
    return true;
end
$function$;
comment on function tenure_private.chore_due(int, timestamptz, interval) is
'True for one sweep in each period, whoever sweeps.';
revoke all on function tenure_private.chore_due(int, timestamptz, interval) from public;
