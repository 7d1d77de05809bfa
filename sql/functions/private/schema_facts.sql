create or replace function tenure_private.schema_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('schema %s', n.nspname), f.aspect, f.fact
    from pg_namespace as n
    cross join lateral (values
        ('owner', pg_get_userbyid(n.nspowner)::text),
        ('grants', tenure_private.grants(coalesce(n.nspacl, acldefault('n', n.nspowner)))),
        ('comment', obj_description(n.oid, 'pg_namespace'))
    ) as f (aspect, fact)
    where n.oid = any(p_schemas);

    return query
    select format('type %s', t.oid::regtype), f.aspect, f.fact
    from pg_type as t
    left join pg_class as c on c.oid = t.typrelid
    cross join lateral (values
        ('owner', pg_get_userbyid(t.typowner)::text),
        ('grants', tenure_private.grants(coalesce(t.typacl, acldefault('T', t.typowner)))),
        ('kind', concat_ws(' ', t.typtype, nullif(t.typbasetype, 0)::regtype)),
        ('comment', obj_description(t.oid, 'pg_type'))
    ) as f (aspect, fact)
    -- Row types and array types come with what they belong to.
    where t.typnamespace = any(p_schemas) and coalesce(c.relkind, 'c') = 'c'
        and not exists (select from pg_type as e where e.typarray = t.oid);

    return query
    select
        format('default privileges of %s on %s', pg_get_userbyid(d.defaclrole), d.defaclobjtype),
        format('in %s', coalesce(nullif(d.defaclnamespace, 0)::regnamespace::text, 'all schemas')),
        tenure_private.grants(d.defaclacl)
    from pg_default_acl as d
    where d.defaclnamespace = any(p_schemas) or (d.defaclnamespace = 0 and d.defaclrole = 'tenure_owner'::regrole);

    -- Operators, collations and whatever else can be put into a schema: what has no facts of its own.
    return query
    select format('%s %s', i.type, i.identity), 'presence', 'there'
    from pg_depend as d
    cross join lateral pg_identify_object(d.classid, d.objid, d.objsubid) as i
    join pg_namespace as n on n.nspname = i.schema
    -- The name of a schema in a view makes the view depend on it; that puts nothing into it.
    where d.refclassid = 'pg_namespace'::regclass and d.refobjid = n.oid and n.oid = any(p_schemas)
        and d.classid not in (
            'pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass, 'pg_constraint'::regclass,
            'pg_default_acl'::regclass
        );
end
$function$;
comment on function tenure_private.schema_facts(oid[]) is 'The part of catalogue() about schemas, types and what is neither function nor relation.';
revoke all on function tenure_private.schema_facts(oid[]) from public;
