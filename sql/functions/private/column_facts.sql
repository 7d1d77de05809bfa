create or replace function tenure_private.column_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('column %s.%s', a.attrelid::regclass, a.attname), f.aspect, f.fact
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    join pg_type as t on t.oid = a.atttypid
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    cross join lateral (values
        (
            'type', concat_ws(
                ' ', format_type(a.atttypid, a.atttypmod),
                case when a.attcollation <> t.typcollation then format('collate %s', a.attcollation::regcollation) end,
                case when a.attnotnull then 'not null' end,
                case a.attidentity when 'a' then 'identity always' when 'd' then 'identity by default' end,
                case when a.attgenerated <> '' then 'generated' end,
                pg_get_expr(d.adbin, d.adrelid)
            )
        ),
        (
            'storage', nullif(concat_ws(
                ' ', case when a.attstorage <> t.typstorage then format('storage %s', a.attstorage) end,
                case when a.attcompression <> '' then format('compression %s', a.attcompression) end,
                -- NULL or -1, by PostgreSQL's version, is the default.
                case when a.attstattarget >= 0 then format('statistics %s', a.attstattarget) end,
                array_to_string(a.attoptions, ' ')
            ), '')
        ),
        ('grants', tenure_private.grants(a.attacl)),
        ('comment', col_description(a.attrelid, a.attnum))
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas) and c.relkind in ('r', 'v', 'c') and a.attnum > 0 and not a.attisdropped;
end
$function$;
comment on function tenure_private.column_facts(oid[]) is 'The part of catalogue() about columns, of tables, views and composite types.';
revoke all on function tenure_private.column_facts(oid[]) from public;
