create or replace function tenure_private.passed_error(
    p_step tenure_private.step, p_now timestamptz, p_kind text, p_cause jsonb
)
returns jsonb
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step := p_step;
    v_layer tenure_private.layer;
    v_error jsonb;
begin
    if p_kind in ('timeout', 'deadline') and p_step.parent_id is not null then
        v_layer := tenure_private.passed_layer(p_step.step_id, p_now);
        v_step.timeout := coalesce(v_layer.span, p_step.timeout);
        v_step.deadline := v_layer.span;
    end if;
    v_error := tenure_private.limit_error(v_step, tenure_private.step_name(p_step.track_id), p_kind, p_cause);
    if v_layer.step_id is not null then
        v_error := v_error || jsonb_build_object('position', v_layer.position);
    end if;
    return v_error;
end
$function$;
comment on function tenure_private.passed_error(tenure_private.step, timestamptz, text, jsonb) is
'limit_error() of a limit that has just passed. Where it was a layer of a deeper policy the document has its "position" too, 1 for the outermost.';
revoke all on function tenure_private.passed_error(tenure_private.step, timestamptz, text, jsonb) from public;
