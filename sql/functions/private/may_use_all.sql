create or replace function tenure_private.may_use_all(p_role name)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return pg_has_role(p_role, 'tenure_operator', 'usage') or pg_has_role(p_role, 'tenure_owner', 'usage');
end
$function$;
comment on function tenure_private.may_use_all(name) is 'Whether no grant restricts this role: it has the rights of operators or of the owner.';
revoke all on function tenure_private.may_use_all(name) from public;
