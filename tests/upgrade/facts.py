"""Everything that the catalogues say of the engine: by queries of the tests' own, not by those under test.

Two databases hold the same engine when these rows are the same. Rights are compared as they work: the
built-in ones count as if they were written out.
"""

from __future__ import annotations

from typing import Any

import psycopg

HELPERS = """
create function pg_temp.ours(schema oid) returns boolean language sql
as $$ select schema in ('tenure'::regnamespace, 'tenure_private'::regnamespace) $$;

-- An owner's own rights are as they are built in: to maintain is one of them from PostgreSQL 17 on.
create function pg_temp.grants(acl aclitem[], kind "char", owner oid) returns text language sql as $$
    select string_agg(concat_ws(' ', a.grantee::regrole, a.privilege_type, a.is_grantable), ', '
        order by a.grantee::regrole::text, a.privilege_type)
    from aclexplode(coalesce(acl, acldefault(kind, owner))) as a where a.grantee <> owner
$$;
"""

QUERIES = {
    "schema": """
        select n.nspname, n.nspowner::regrole, obj_description(n.oid, 'pg_namespace'),
            pg_temp.grants(n.nspacl, 'n', n.nspowner)
        from pg_namespace as n where pg_temp.ours(n.oid)""",
    "function": """
        select p.oid::regprocedure, pg_get_functiondef(p.oid), p.proowner::regrole,
            obj_description(p.oid, 'pg_proc'), pg_temp.grants(p.proacl, 'f', p.proowner)
        from pg_proc as p where pg_temp.ours(p.pronamespace)""",
    "relation": """
        select c.oid::regclass, c.relkind, c.relowner::regrole, c.relpersistence, c.reloptions,
            c.relreplident, c.relrowsecurity, c.relforcerowsecurity, obj_description(c.oid, 'pg_class'),
            case when c.relkind = 'v' then pg_get_viewdef(c.oid) end,
            pg_temp.grants(c.relacl, (case c.relkind when 'S' then 's' else 'r' end)::"char", c.relowner)
        from pg_class as c where pg_temp.ours(c.relnamespace)""",
    "column": """
        select a.attrelid::regclass, a.attname, row_number() over (partition by a.attrelid order by a.attnum),
            format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstorage,
            a.attcompression, a.attstattarget, a.attcollation::regcollation, a.attacl, a.attoptions,
            pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum)
        from pg_attribute as a
        join pg_class as c on c.oid = a.attrelid
        left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where pg_temp.ours(c.relnamespace) and a.attnum > 0 and not a.attisdropped""",
    "index": """
        select pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisready, i.indisclustered
        from pg_index as i join pg_class as c on c.oid = i.indexrelid where pg_temp.ours(c.relnamespace)""",
    "constraint": """
        select k.conname, k.conrelid::regclass, pg_get_constraintdef(k.oid), k.convalidated,
            obj_description(k.oid, 'pg_constraint')
        from pg_constraint as k where pg_temp.ours(k.connamespace)""",
    "trigger": """
        select pg_get_triggerdef(t.oid), t.tgenabled from pg_trigger as t
        join pg_class as c on c.oid = t.tgrelid where pg_temp.ours(c.relnamespace) and not t.tgisinternal""",
    "sequence": """
        select s.seqrelid::regclass, s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmax, s.seqmin,
            s.seqcache, s.seqcycle, d.refobjid::regclass, d.deptype
        from pg_sequence as s
        join pg_class as c on c.oid = s.seqrelid
        left join pg_depend as d on d.objid = c.oid and d.classid = 'pg_class'::regclass
            and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass
        where pg_temp.ours(c.relnamespace)""",
    "type": """
        select t.oid::regtype, t.typtype, t.typowner::regrole, obj_description(t.oid, 'pg_type'),
            pg_temp.grants(t.typacl, 'T', t.typowner)
        from pg_type as t where pg_temp.ours(t.typnamespace)""",
    # Whatever else there may be.
    "object": """
        select d.classid::regclass, pg_describe_object(d.classid, d.objid, d.objsubid)
        from pg_depend as d where d.refclassid = 'pg_namespace'::regclass and pg_temp.ours(d.refobjid)""",
    "version": "select version from tenure_private.installation",
    "shipped": "select object, aspect, fact from tenure_private.shipped",
    "queue": "select * from tenure_private.queue",
    "setting": "select * from tenure_private.setting",
}


def facts(conn: psycopg.Connection[Any]) -> set[tuple[str, ...]]:
    """Return every fact as a row of texts, its kind first."""
    found: set[tuple[str, ...]] = set()
    with conn.transaction(force_rollback=True):
        # Names are to be written in full, whatever path the session has.
        conn.execute("set local search_path = pg_catalog")
        conn.execute(HELPERS)
        for kind, query in QUERIES.items():
            found |= {(kind, *map(str, row)) for row in conn.execute(query.encode()).fetchall()}
    return found
