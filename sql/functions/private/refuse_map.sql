create or replace function tenure_private.refuse_map(
    p_step tenure_private.step, p_key text, p_value jsonb, p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_found constant text = case
        when jsonb_typeof(p_value) = 'array' then format('an array of %s elements', jsonb_array_length(p_value))
        else jsonb_typeof(p_value)
    end;
begin
    perform tenure_private.land(
        array[p_step.step_id], null,
        tenure_private.discard(p_step, 'discarded', 'permanent', jsonb_build_object(
            'type', 'MapRefused', 'kind', 'permanent',
            'message', format('key %s is no array of at most 10000 elements but %s', p_key, v_found),
            'step', tenure_private.step_name(p_step.track_id)
        )),
        p_now, null, null
    );
    return array[p_step.step_id];
end
$function$;
comment on function tenure_private.refuse_map(tenure_private.step, text, jsonb, timestamptz) is
'Discards a map whose key has a value that cannot be mapped over.';
revoke all on function tenure_private.refuse_map(tenure_private.step, text, jsonb, timestamptz) from public;
