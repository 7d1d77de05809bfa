create or replace function tenure_private.function_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('function %s', p.oid::regprocedure), f.aspect, f.fact
    from pg_proc as p
    join pg_language as l on l.oid = p.prolang
    cross join lateral (values
        ('body', md5(p.prosrc)),
        ('language', l.lanname::text),
        ('security', case when p.prosecdef then 'definer' else 'invoker' end),
        ('settings', coalesce(array_to_string(p.proconfig, '; '), '')),
        ('arguments', pg_get_function_arguments(p.oid)),
        ('result', pg_get_function_result(p.oid)),
        (
            'volatility', concat_ws(
                ' ', p.provolatile, p.proparallel, case when p.proisstrict then 'strict' end,
                case when p.proleakproof then 'leakproof' end
            )
        ),
        ('costs', format('%s, %s rows', p.procost, p.prorows)),
        ('support', case when p.prosupport <> 0 then p.prosupport::text end),
        ('owner', pg_get_userbyid(p.proowner)::text),
        ('grants', tenure_private.grants(coalesce(p.proacl, acldefault('f', p.proowner)))),
        ('comment', obj_description(p.oid, 'pg_proc'))
    ) as f (aspect, fact)
    where p.pronamespace = any(p_schemas);
end
$function$;
comment on function tenure_private.function_facts(oid[]) is 'The part of catalogue() about functions.';
revoke all on function tenure_private.function_facts(oid[]) from public;
