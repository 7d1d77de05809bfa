create or replace function tenure_private.grants(p_acl aclitem[])
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_grants text;
begin
    if p_acl is null then
        return 'default';
    end if;
    select string_agg(
        format(
            '%s=%s%s', case a.grantee when 0 then 'PUBLIC' else pg_get_userbyid(a.grantee) end, a.privilege_type,
            case when a.is_grantable then '*' end
        ), ', '
        order by case a.grantee when 0 then 'PUBLIC' else pg_get_userbyid(a.grantee) end collate "C", a.privilege_type
    ) into strict v_grants
    from aclexplode(p_acl) as a
    -- Owners have this right of themselves from PostgreSQL 17 on: a database that moved there has not changed by it.
    where a.grantee <> a.grantor or a.privilege_type <> 'MAINTAIN';
    return coalesce(v_grants, 'none');
end
$function$;
comment on function tenure_private.grants(aclitem[]) is 'An access list as sorted text, by names of roles; * is the right to grant it on.';
revoke all on function tenure_private.grants(aclitem[]) from public;
