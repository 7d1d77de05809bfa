create or replace function tenure_private.has_layers(p_step_id bigint)
returns boolean
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return exists (select from tenure_private.layer as l where l.step_id = p_step_id);
end
$function$;
comment on function tenure_private.has_layers(bigint) is
'Whether a step''s policy is more than its columns can say. Only children have layers; callers ask for no other step.';
revoke all on function tenure_private.has_layers(bigint) from public;
