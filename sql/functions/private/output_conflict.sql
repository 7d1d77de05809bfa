create or replace function tenure_private.output_conflict(p_step tenure_private.step)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return jsonb_build_object(
        'type', 'OutputConflict', 'kind', 'output_conflict',
        'message', 'a key that it would publish is there already', 'step', tenure_private.step_name(p_step.track_id)
    );
end
$function$;
comment on function tenure_private.output_conflict(tenure_private.step) is 'The error document of a step whose outputs cannot be published.';
revoke all on function tenure_private.output_conflict(tenure_private.step) from public;
