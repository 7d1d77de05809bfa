-- Who may do what, on a database at work. Run it with pg_prove as a superuser or a member of tenure_owner. It leaves
-- nothing behind: what it makes for itself is rolled back.
begin;
\ir pgtap.psql
\ir matrix.psql
select plan(15);

create temp view role_of_ours as
select
    r.rolname::text as name,
    r.*
from pg_roles as r
where r.rolname in ('tenure_owner', 'tenure_client', 'tenure_worker', 'tenure_operator', 'tenure_reader');
create temp view function_of_ours as
select
    p.oid::regprocedure::text as name,
    p.proname::text as verb,
    n.nspname = 'tenure' as callable,
    p.*
from pg_proc as p
join pg_namespace as n on n.oid = p.pronamespace
where n.nspname in ('tenure', 'tenure_private');
create temp view relation_of_ours as
select
    c.oid::regclass::text as name,
    n.nspname = 'tenure' as readable,
    c.*
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
where n.nspname in ('tenure', 'tenure_private');

-- The roles.
select is((select count(*) from role_of_ours), 5::bigint, 'The five roles are there');
select is_empty(
    $$select r.name from role_of_ours as r
    where r.rolcanlogin or r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls$$,
    'None of them logs in, or has a right beyond Tenure'
);
select is_empty(
    $$select m.rolname from pg_roles as m
    where not m.rolsuper and m.rolname <> 'tenure_owner' and pg_has_role(m.oid, 'tenure_owner', 'usage')
        and (pg_has_role(m.oid, 'tenure_client', 'usage') or pg_has_role(m.oid, 'tenure_worker', 'usage'))$$,
    'Nobody who enqueues or works is a member of tenure_owner'
);
select is_empty(
    $$select a.name, b.name from role_of_ours as a cross join role_of_ours as b
    where a.oid <> b.oid and pg_has_role(a.oid, b.oid, 'member')$$,
    'None of the five is a member of another'
);

-- The functions.
select results_eq(
    $$select f.verb collate "C", r.name collate "C" from function_of_ours as f
    cross join role_of_ours as r
    where f.callable and r.name <> 'tenure_owner' and has_function_privilege(r.oid, f.oid, 'execute')
    order by 1, 2$$,
    $$select a.name collate "C", r.name collate "C" from allowed as a
    cross join lateral unnest(a.roles) as r (name)
    order by 1, 2$$,
    'Each role may call its own functions, and no other'
);
select is_empty(
    $$select f.name from function_of_ours as f where has_function_privilege('public', f.oid, 'execute')$$,
    'PUBLIC may call none'
);
select is_empty(
    $$select f.name, a.grantee::regrole from function_of_ours as f
    cross join lateral aclexplode(f.proacl) as a
    -- Who reads a view that shows what is overdue reads the clock.
    where a.grantee <> f.proowner
        and not ((f.callable or f.verb = 'clock') and a.grantee in (select r.oid from role_of_ours as r) and not a.is_grantable)$$,
    'Nobody else was granted any, or may grant it on'
);
select is_empty(
    $$select f.name from function_of_ours as f
    where (f.callable and not f.prosecdef) or (f.prosecdef and not f.callable)$$,
    'What can be called runs as the owner, and nothing else does'
);
select is_empty(
    $$select f.name from function_of_ours as f
    where f.prosecdef and f.proconfig[1] is distinct from 'search_path=pg_catalog, pg_temp'$$,
    'Each such function looks for names in pg_catalog alone'
);

-- Schemas, tables and views.
select is_empty(
    $$select n.nspname, a.grantee::regrole, a.privilege_type from pg_namespace as n
    cross join lateral aclexplode(n.nspacl) as a
    where n.nspname in ('tenure', 'tenure_private') and a.grantee <> n.nspowner
        and not (
            n.nspname = 'tenure' and a.privilege_type = 'USAGE' and not a.is_grantable
            and a.grantee in (select r.oid from role_of_ours as r)
        )$$,
    'The schemas are open to the roles, tenure_private to nobody'
);
select is_empty(
    $$select c.name, a.grantee::regrole, a.privilege_type from relation_of_ours as c
    cross join lateral aclexplode(c.relacl) as a
    where a.grantee <> c.relowner
        and not (
            c.readable and c.relkind = 'v' and a.privilege_type = 'SELECT' and not a.is_grantable
            and a.grantee in ('tenure_reader'::regrole, 'tenure_operator'::regrole)
        )$$,
    'Readers and operators read the views, and nobody touches a table'
);
select is_empty(
    $$select c.name, t.attname from relation_of_ours as c join pg_attribute as t on t.attrelid = c.oid
    where t.attacl is not null$$,
    'No column has rights of its own'
);
select is_empty(
    $$select x.name, pg_get_userbyid(x.owner) from (
        select f.name, f.proowner from function_of_ours as f
        union all
        select c.name, c.relowner from relation_of_ours as c
        union all
        select n.nspname::text, n.nspowner from pg_namespace as n where n.nspname in ('tenure', 'tenure_private')
    ) as x (name, owner)
    where x.owner <> 'tenure_owner'::regrole$$,
    'All belongs to tenure_owner'
);
select is_empty(
    $$select d.defaclobjtype, a.grantee::regrole, a.privilege_type from pg_default_acl as d
    cross join lateral aclexplode(d.defaclacl) as a
    where d.defaclrole = 'tenure_owner'::regrole and a.grantee not in (d.defaclrole, 0)$$,
    'Nothing that an upgrade makes is given away by default'
);
select is_empty(
    'select g.queue, g.role from tenure.queue_grants as g where not g.role_exists',
    'No queue is held by a role that is gone'
);

select * from finish();
rollback;
