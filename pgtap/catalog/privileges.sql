begin;
select plan(54);

-- A role that can connect and nothing else; gone with the transaction.
create role tenure_test_stranger nologin;

\ir ../production/matrix.psql

-- What acting as a role meets with: no error, or the code of one.
create function met(p_role text, p_statement text)
returns text
language plpgsql
as $$
declare
    v_code text := 'none';
begin
    perform set_config('role', p_role, true);
    begin
        execute p_statement;
    exception when others then
        v_code := sqlstate;
    end;
    perform set_config('role', 'none', true);
    return v_code;
end
$$;

-- A call of the function with NULLs. With the right to it, it refuses them or answers; without, it is 42501.
create function call_of(p_name text)
returns text
language sql
as $$
select format('select tenure.%I(%s)', p.proname, string_agg('null::' || a.type::regtype, ', ' order by a.n))
from pg_proc as p
left join lateral unnest(p.proargtypes) with ordinality as a (type, n) on true
where p.pronamespace = 'tenure'::regnamespace and p.proname = p_name
group by p.oid
$$;
create function callers(p_name text)
returns text[]
language sql
as $$
select coalesce(array_agg(r.role order by r.role), '{}')
from unnest(array[
    'tenure_client', 'tenure_operator', 'tenure_reader', 'tenure_worker', 'tenure_test_stranger'
]) as r (role)
where met(r.role, call_of(p_name)) <> '42501'
$$;

select is(callers(a.name), a.roles, format('%s is for those alone: R-155', a.name))
from allowed as a
order by a.name;
select set_eq(
    $$select p.proname::text from pg_proc as p where p.pronamespace = 'tenure'::regnamespace$$,
    'select a.name from allowed as a',
    'The matrix has every function: R-155'
);
select is_empty(
    $$select a.name from allowed as a where met('tenure_owner', call_of(a.name)) = '42501'$$,
    'tenure_owner may call all: R-155'
);

-- Tables and sequences: every statement that could read or write one, as every role but the owner.
create function reached(p_roles text[], p_statement text, p_schema text, p_kinds text)
returns setof text
language sql
as $$
select format('%s: %s', r.role, format(s.statement, c.oid::regclass))
from pg_class as c
cross join unnest(p_roles) as r (role)
cross join (select p_statement as statement) as s
where c.relnamespace = p_schema::regnamespace and strpos(p_kinds, c.relkind) > 0
    and met(r.role, format(s.statement, c.oid::regclass)) <> '42501'
$$;
create function everyone()
returns text[]
language sql
as $$
select array['tenure_client', 'tenure_operator', 'tenure_reader', 'tenure_worker', 'tenure_test_stranger']
$$;
select is_empty(
    $$select reached(everyone(), 'select from %s limit 0', 'tenure_private', 'rS')$$, 'No one reads a table: R-156'
);
select is_empty(
    $$select reached(everyone(), 'delete from %s', 'tenure_private', 'r')$$, 'No one deletes: R-156'
);
select is_empty($$select reached(everyone(), 'truncate %s', 'tenure_private', 'r')$$, 'No one truncates: R-156');
select is_empty(
    $$select reached(everyone(), 'insert into %s default values', 'tenure_private', 'r')$$, 'No one inserts: R-156'
);
select is_empty(
    $$select reached(everyone(), 'lock table %s in access share mode', 'tenure_private', 'r')$$, 'No one locks: R-156'
);
select is_empty(
    $$select r.role, c.oid::regclass from pg_class as c cross join unnest(everyone()) as r (role)
    where c.relnamespace = 'tenure_private'::regnamespace
        and (
            (c.relkind = 'r' and has_table_privilege(
                r.role, c.oid, 'select, insert, update, delete, truncate, references, trigger'
            ))
            or (c.relkind = 'r' and has_any_column_privilege(r.role, c.oid, 'select, insert, update, references'))
            or (c.relkind = 'S' and has_sequence_privilege(r.role, c.oid, 'select, usage, update'))
        )$$,
    'Nor would any be let in by USAGE on the schema: R-156'
);
select is_empty(
    $$select r.role from unnest(everyone()) as r (role)
    where has_schema_privilege(r.role, 'tenure_private', 'usage') or has_schema_privilege(r.role, 'tenure', 'create')
        or has_schema_privilege(r.role, 'tenure_private', 'create')$$,
    'tenure_private is nobody''s, and nobody plants anything in tenure: R-156'
);

-- Views.
select is_empty(
    $$select reached('{tenure_client, tenure_worker, tenure_test_stranger}', 'select from %s', 'tenure', 'v')$$,
    'Views are not for clients and workers: R-157'
);
select is(
    (select count(*) from reached('{tenure_reader, tenure_operator}', 'select * from %s', 'tenure', 'v')), 18::bigint,
    'They are for readers and operators, with all that they call: R-157'
);
select is_empty(
    $$select r.role, c.oid::regclass from pg_class as c cross join unnest(everyone()) as r (role)
    where c.relnamespace = 'tenure'::regnamespace and c.relkind = 'v'
        and has_table_privilege(r.role, c.oid, 'insert, update, delete, truncate, references, trigger')$$,
    'Nobody writes through a view: R-157'
);

-- The owner's own: the clock and the lease.
select is(
    (
        select array_agg(distinct met(r.role, s.statement))
        from unnest(everyone()) as r (role)
        cross join unnest(array[
            'select tenure_private.clock()', 'select tenure_private.expire_lease(1)',
            'create or replace function tenure_private.clock() returns timestamptz language sql as ''select now()''',
            'alter function tenure_private.clock() owner to current_user'
        ]) as s (statement)
    ),
    array['42501'], 'Nobody but the owner moves the clock or expires a lease: R-162'
);
select is(
    met('tenure_owner', 'select tenure_private.expire_lease(1)'), 'TN001', 'The owner can: R-162'
);

select * from finish();
rollback;
