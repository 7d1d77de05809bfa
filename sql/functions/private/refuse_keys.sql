create or replace function tenure_private.refuse_keys(p_step_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
begin
    for v_step in select s.* from tenure_private.step as s where s.step_id = any(p_step_ids) order by s.step_id loop
        perform tenure_private.land(
            array[v_step.step_id], null,
            tenure_private.discard(
                v_step, 'discarded', 'permanent', tenure_private.oversized(v_step, 'the keys that it needs')
            ),
            p_now, null, null
        );
    end loop;
end
$function$;
comment on function tenure_private.refuse_keys(bigint[], timestamptz) is
'Discards pending children whose keys are too large to be handed out together.';
revoke all on function tenure_private.refuse_keys(bigint[], timestamptz) from public;
