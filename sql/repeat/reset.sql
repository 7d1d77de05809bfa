-- Takes every right on anything of Tenure's from everyone but its owner: what the files after this one do not grant is
-- gone. On a fresh install there is nothing to take. Column rights go with their table's. Of types PUBLIC has USAGE, as
-- is built in: whoever may call a function may name what it returns.
do $reset$
declare
    r_grant record;
    r_type record;
begin
    for r_grant in
        select distinct o.what, case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
        from (
            select format('schema %s', n.oid::regnamespace), n.nspacl, n.nspowner
            from pg_namespace as n
            where n.oid in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
            union all
            select
                format('routine %s', p.oid::regprocedure), coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner
            from pg_proc as p
            where p.pronamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
            union all
            select
                format('%s %s', case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass),
                x.acl, c.relowner
            from pg_class as c
            cross join lateral (
                select c.relacl as acl
                union all
                select t.attacl from pg_attribute as t where t.attrelid = c.oid and t.attacl is not null
            ) as x
            where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and c.relkind <> 'i'
            union all
            select format('type %s', t.oid::regtype), t.typacl, t.typowner
            from pg_type as t
            where t.typnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
        ) as o (what, acl, owner)
        cross join lateral aclexplode(o.acl) as a
        where a.grantee <> o.owner and not (o.what like 'type %' and a.grantee = 0)
    loop
        -- execute: neither an object nor a role can be a parameter. Cascade: for whom a grantee granted it on to.
        execute format('revoke all on %s from %s cascade', r_grant.what, r_grant.grantee);
    end loop;
    for r_type in
        select t.oid::regtype as name
        from pg_type as t
        where t.typnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and t.typacl is not null
    loop
        -- execute: as above.
        execute format('grant usage on type %s to public', r_type.name);
    end loop;
end
$reset$;
