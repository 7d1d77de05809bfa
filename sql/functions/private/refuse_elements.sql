create or replace function tenure_private.refuse_elements(p_group_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_refused bigint [] := array[]::bigint [];
begin
    for v_step in
        select s.*
        from tenure_private.step as s
        where s.step_id = any(p_group_ids) and s.position is not null and jsonb_typeof(s.input) <> 'object'
        order by s.step_id
    loop
        perform tenure_private.land(
            array[v_step.step_id], null,
            tenure_private.discard(v_step, 'discarded', 'permanent', jsonb_build_object(
                'type', 'ElementRefused', 'kind', 'permanent',
                'message', format(
                    'element %s of the map is no object but %s', v_step.position, jsonb_typeof(v_step.input)
                ),
                'step', tenure_private.step_name(v_step.track_id)
            )),
            p_now, null, null
        );
        v_refused := v_refused || v_step.step_id;
    end loop;
    return v_refused;
end
$function$;
comment on function tenure_private.refuse_elements(bigint[], timestamptz) is
'Discards those of these groups that are mounts of an element of a map which has no members to be their keys, and returns them.';
revoke all on function tenure_private.refuse_elements(bigint[], timestamptz) from public;
