create or replace function tenure_private.oversized(p_step tenure_private.step, p_what text)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return jsonb_build_object(
        'type', 'TooLarge', 'kind', 'permanent', 'message', format('%s take more than 200 MB together', p_what),
        'step', tenure_private.step_name(p_step.track_id)
    );
end
$function$;
comment on function tenure_private.oversized(tenure_private.step, text) is
'The error document of a step for which documents would have to be put together that are too large for it.';
revoke all on function tenure_private.oversized(tenure_private.step, text) from public;
