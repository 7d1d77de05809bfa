-- The five roles. They belong to the whole cluster, so they may be here already: from another database, or made
-- by an administrator where the installing role may not create roles.
do $roles$
declare
    v_role text;
begin
    foreach v_role in array array[
        'tenure_owner', 'tenure_client', 'tenure_worker', 'tenure_operator', 'tenure_reader'
    ] loop
        if not exists (select from pg_catalog.pg_roles as r where r.rolname = v_role) then
            -- execute: a role's name cannot be a parameter.
            execute pg_catalog.format('create role %I nologin', v_role);
        end if;
    end loop;
    -- Everything below is made by tenure_owner, so the installing role must be able to become it. From PostgreSQL 16
    -- membership alone does not say so: whoever creates a role is a member that may grant it, but not become it.
    if not pg_catalog.pg_has_role(
        current_user, 'tenure_owner',
        case when pg_catalog.current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end
    ) then
        -- execute: as above.
        execute pg_catalog.format('grant tenure_owner to %I', current_user);
    end if;
exception
    when insufficient_privilege then
        raise exception using
            errcode = 'TN022',
            message = pg_catalog.format('%I may not make the five roles, or not become tenure_owner', current_user),
            detail = sqlerrm,
            hint = pg_catalog.format(
                'Have an administrator run the statement of docs/dba.md, "Who may install", and then: grant tenure_owner to %I.',
                current_user
            );
end
$roles$;
