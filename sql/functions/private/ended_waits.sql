create or replace function tenure_private.ended_waits(p_step_id bigint)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_waits jsonb;
begin
    select jsonb_agg(
        jsonb_build_object('key', w.key, 'kind', w.kind, 'outcome', w.outcome, 'payload', w.payload) order by w.seq
    ) into strict v_waits
    from tenure_private.wait as w
    where w.step_id = p_step_id and w.outcome is not null;
    return v_waits;
end
$function$;
comment on function tenure_private.ended_waits(bigint) is 'The ended sleeps and signal waits of a step, oldest first, as claimed.waits shows them.';
revoke all on function tenure_private.ended_waits(bigint) from public;
