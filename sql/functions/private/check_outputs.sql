create or replace function tenure_private.check_outputs(p_outputs jsonb[], p_count int)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_largest int;
begin
    if cardinality(p_outputs) <> p_count then
        perform tenure_private.refuse(
            'argument_invalid', 'outputs and step_ids do not pair up',
            format('%s outputs, %s step_ids.', cardinality(p_outputs), p_count),
            'Give one output for each step, NULL for none.'
        );
    end if;
    select max(pg_column_size(o.value)) into strict v_largest from unnest(p_outputs) as o (value);
    perform tenure_private.check_size('output', v_largest);
end
$function$;
comment on function tenure_private.check_outputs(jsonb[], int) is 'Refuses outputs that are not one for each step (TN007) or too large (TN008).';
revoke all on function tenure_private.check_outputs(jsonb[], int) from public;
