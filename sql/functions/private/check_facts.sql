create or replace function tenure_private.check_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    -- NOT NULL stands with the columns: before PostgreSQL 18 it was no constraint.
    return query
    select
        format(
            'constraint %s on %s',
            k.conname, coalesce(nullif(k.conrelid, 0)::regclass::text, k.contypid::regtype::text)
        ),
        f.aspect, f.fact
    from pg_constraint as k
    cross join lateral (values
        ('definition', pg_get_constraintdef(k.oid)),
        (
            'state', (
                select 'switched off'
                from pg_trigger as t
                where t.tgconstraint = k.oid and t.tgenabled <> 'O'
                limit 1
            )
        ),
        ('comment', obj_description(k.oid, 'pg_constraint'))
    ) as f (aspect, fact)
    left join pg_class as r on r.oid = k.confrelid
    -- A foreign key from outside on a table here keeps rows from being purged.
    where (k.connamespace = any(p_schemas) and k.contype <> 'n') or r.relnamespace = any(p_schemas);

    return query
    select format('rule %s on %s', r.rulename, r.ev_class::regclass), f.aspect, f.fact
    from pg_rewrite as r
    join pg_class as c on c.oid = r.ev_class
    cross join lateral (values
        ('definition', case when r.rulename <> '_RETURN' then pg_get_ruledef(r.oid) end),
        ('state', case when r.ev_enabled <> 'O' then 'switched off' end)
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas);

    return query
    select format('trigger %s on %s', t.tgname, t.tgrelid::regclass), f.aspect, f.fact
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    cross join lateral (values
        ('definition', pg_get_triggerdef(t.oid)),
        ('state', case t.tgenabled when 'O' then 'on' when 'D' then 'switched off' else 'on by replication role' end),
        ('comment', obj_description(t.oid, 'pg_trigger'))
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas) and not t.tgisinternal;

    return query
    select
        format('policy %s on %s', l.polname, l.polrelid::regclass),
        'definition',
        concat_ws(
            ' ', l.polcmd, case when l.polpermissive then 'permissive' else 'restrictive' end,
            pg_get_expr(l.polqual, l.polrelid), pg_get_expr(l.polwithcheck, l.polrelid)
        )
    from pg_policy as l
    join pg_class as c on c.oid = l.polrelid
    where c.relnamespace = any(p_schemas);
end
$function$;
comment on function tenure_private.check_facts(oid[]) is 'The part of catalogue() about constraints, rules, triggers and policies.';
revoke all on function tenure_private.check_facts(oid[]) from public;
