create or replace function tenure_private.catalogue()
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set quote_all_identifiers = off
set intervalstyle = postgres
as $function$
-- Facts rather than deparsed text, which differs between majors; where text it must be, it hangs on no setting of
-- the session. Owners appear by name, as do grantees. Rights that nobody has touched are those that are built in.
declare
    v_schemas constant oid [] = array['tenure'::regnamespace, 'tenure_private'::regnamespace]::oid [];
begin
    return query
    select format('schema %s', n.nspname), f.aspect, f.fact
    from pg_namespace as n
    cross join lateral (values
        ('owner', pg_get_userbyid(n.nspowner)::text),
        ('grants', tenure_private.grants(coalesce(n.nspacl, acldefault('n', n.nspowner))))
    ) as f (aspect, fact)
    where n.oid = any(v_schemas);

    return query
    select format('function %s', p.oid::regprocedure), f.aspect, f.fact
    from pg_proc as p
    cross join lateral (values
        ('body', md5(p.prosrc)),
        ('security', case when p.prosecdef then 'definer' else 'invoker' end),
        ('settings', coalesce(array_to_string(p.proconfig, '; '), '')),
        ('arguments', pg_get_function_arguments(p.oid)),
        ('result', pg_get_function_result(p.oid)),
        ('volatility', concat_ws(' ', p.provolatile, p.proparallel, case when p.proisstrict then 'strict' end)),
        ('owner', pg_get_userbyid(p.proowner)::text),
        ('grants', tenure_private.grants(coalesce(p.proacl, acldefault('f', p.proowner))))
    ) as f (aspect, fact)
    where p.pronamespace = any(v_schemas);

    return query
    select format('%s %s', tenure_private.relation_kind(c.relkind), c.oid::regclass), f.aspect, f.fact
    from pg_class as c
    cross join lateral (values
        ('owner', pg_get_userbyid(c.relowner)::text),
        (
            'grants', tenure_private.grants(
                coalesce(c.relacl, acldefault((case c.relkind when 'S' then 's' else 'r' end)::"char", c.relowner))
            )
        ),
        ('options', concat_ws('; ', c.relpersistence, array_to_string(c.reloptions, '; '))),
        ('definition', case c.relkind when 'i' then pg_get_indexdef(c.oid) when 'v' then md5(pg_get_viewdef(c.oid)) else '' end),
        ('row security', (c.relrowsecurity or c.relforcerowsecurity)::text)
    ) as f (aspect, fact)
    where c.relnamespace = any(v_schemas) and c.relkind in ('r', 'v', 'i', 'S', 'p', 'm', 'f');

    return query
    select format('column %s.%s', a.attrelid::regclass, a.attname), f.aspect, f.fact
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    cross join lateral (values
        (
            'type', concat_ws(
                ' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
                pg_get_expr(d.adbin, d.adrelid)
            )
        ),
        ('grants', tenure_private.grants(a.attacl))
    ) as f (aspect, fact)
    where c.relnamespace = any(v_schemas) and c.relkind in ('r', 'v', 'c') and a.attnum > 0 and not a.attisdropped;

    return query
    select format('constraint %s on %s', k.conname, k.conrelid::regclass), 'definition', pg_get_constraintdef(k.oid)
    from pg_constraint as k
    where k.connamespace = any(v_schemas) and k.contype <> 'n';

    return query
    select format('rule %s on %s', r.rulename, r.ev_class::regclass), 'definition', pg_get_ruledef(r.oid)
    from pg_rewrite as r
    join pg_class as c on c.oid = r.ev_class
    where c.relnamespace = any(v_schemas) and r.rulename <> '_RETURN';

    return query
    select format('trigger %s on %s', t.tgname, t.tgrelid::regclass), 'definition', pg_get_triggerdef(t.oid)
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    where c.relnamespace = any(v_schemas) and not t.tgisinternal;
end
$function$;
comment on function tenure_private.catalogue() is 'What the system catalogues say of everything in the two schemas, one fact a row.';
revoke all on function tenure_private.catalogue() from public;
