create or replace function tenure_private.relation_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('%s %s', tenure_private.relation_kind(c.relkind), c.oid::regclass), f.aspect, f.fact
    from pg_class as c
    left join pg_index as i on i.indexrelid = c.oid
    left join pg_class as t on t.oid = c.reltoastrelid
    left join pg_sequence as s on s.seqrelid = c.oid
    cross join lateral (values
        ('owner', pg_get_userbyid(c.relowner)::text),
        (
            'grants', tenure_private.grants(
                coalesce(c.relacl, acldefault((case c.relkind when 'S' then 's' else 'r' end)::"char", c.relowner))
            )
        ),
        ('options', concat_ws('; ', c.relpersistence, array_to_string(c.reloptions, '; '))),
        ('toast options', array_to_string(t.reloptions, '; ')),
        (
            'definition', case c.relkind
                when 'i' then pg_get_indexdef(c.oid)
                -- From PostgreSQL 16 on the columns of a view of one table stand there without that table's name.
                when 'v' then md5(regexp_replace(pg_get_viewdef(c.oid), '\m\w+\.', '', 'g'))
                when 'S' then format(
                    '%s from %s by %s in %s to %s, cache %s%s', s.seqtypid::regtype, s.seqstart, s.seqincrement,
                    s.seqmin, s.seqmax, s.seqcache, case when s.seqcycle then ', cycles' end
                )
                else ''
            end
        ),
        (
            'state',
            case when c.relkind = 'i' then case when i.indisvalid and i.indisready then 'valid' else 'invalid' end end
        ),
        -- Which rows a publication can tell apart; by their primary key is usual.
        (
            'replica identity', case when c.relkind = 'r' then
                case c.relreplident when 'f' then 'full' when 'n' then 'nothing' when 'i' then 'index' end
            end
        ),
        ('row security', (c.relrowsecurity or c.relforcerowsecurity)::text),
        (
            'heirs', (
                select string_agg(h.inhrelid::regclass::text, ', ' order by h.inhrelid::regclass::text)
                from pg_inherits as h
                where h.inhparent = c.oid
            )
        ),
        ('comment', obj_description(c.oid, 'pg_class'))
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas) and c.relkind in ('r', 'v', 'i', 'S', 'p', 'm', 'f', 'I');
end
$function$;
comment on function tenure_private.relation_facts(oid[]) is 'The part of catalogue() about tables, views, indexes and sequences.';
revoke all on function tenure_private.relation_facts(oid[]) from public;
