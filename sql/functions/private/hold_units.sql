create or replace function tenure_private.hold_units(p_step_ids bigint[], p_track_ids int[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step that ran when the holds were cleared may have come back since, and have its row still.
begin
    insert into tenure_private.quota_hold (quota_id, step_id)
    select q.quota_id, u.step_id
    from unnest(p_step_ids, p_track_ids) as u (step_id, track_id)
    join tenure_private.track as t on t.track_id = u.track_id
    cross join unnest(t.quota_ids) as q (quota_id)
    on conflict on constraint quota_hold_pkey do nothing;
end
$function$;
comment on function tenure_private.hold_units(bigint[], int[]) is
'Notes the steps that a claim has picked under the quotas of their tracks, which it has locked.';
revoke all on function tenure_private.hold_units(bigint[], int[]) from public;
