create or replace function tenure_private.has_layers(p_step tenure_private.step)
returns boolean
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A plain job has none, and is not asked for any.
begin
    return p_step.parent_id is not null
        and exists (select from tenure_private.layer as l where l.step_id = p_step.step_id);
end
$function$;
comment on function tenure_private.has_layers(tenure_private.step) is
'Whether a step''s policy is more than its columns can say.';
revoke all on function tenure_private.has_layers(tenure_private.step) from public;
