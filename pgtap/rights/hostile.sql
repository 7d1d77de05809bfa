begin;
select plan(5);
\ir ../session.psql
\ir ../rights.psql

-- What a caller may put before the names that decide about queues: its own pg_temp, a schema, operators.
create schema evil;
grant usage on schema evil to public;
create table evil.pg_roles as select * from pg_roles;
grant select on evil.pg_roles to public;
insert into evil.pg_roles (rolname, oid) values ('tenure_test_mail', 'tenure_test_sms'::regrole);
create table evil.queue_grant (queue_id int, role text);
create function evil.pg_has_role(name, text, text) returns boolean language sql as 'select true';
create function evil.pg_has_role(name, oid, text) returns boolean language sql as 'select true';
create function evil.current_setting(text) returns text language sql as 'select ''tenure_owner''';
create function evil.never(int, int) returns boolean language sql as 'select false';
do $operators$
begin
    create operator evil.= (leftarg = int, rightarg = int, function = evil.never);
    create operator evil.<> (leftarg = int, rightarg = int, function = evil.never);
end
$operators$;

create function evil.tried()
returns text
language plpgsql
as $$
begin
    return concat_ws(
        '; ', public.told('tenure_test_sms', 'select tenure.complete(1, ''w'', 1)'),
        public.told('tenure_test_sms', 'select c.step_id from tenure.claim(''{mail}'', ''w'') as c'),
        public.told('tenure_test_sms', 'select tenure.enqueue(''t'', queue => ''mail'')'),
        public.told('tenure_test_sms', 'select c.step_id from tenure.claim(''{sms}'', ''w'') as c'),
        public.told('tenure_test_sms', 'select tenure.release(2, ''w'', s.lease_generation) '
            'from tenure_private.step as s where false')
    );
end
$$;
select told('tenure_test_mail', 'select from tenure.claim(array[''mail''], ''w'')');
create function expected(p_own text)
returns text
language sql
as $$
select concat_ws(
    '; ', '(stale)', r.refusal, r.refusal, p_own,
    '42501: permission denied for schema tenure_private: : '
)
from (values (
    'TN018: the queue is not the caller''s to use: Queue mail.: '
    'An operator can grant it: select tenure.grant_queue(queue, role).'
)) as r (refusal)
$$;
select is(evil.tried(), expected('(2)'), 'As it is');
set local search_path to evil, pg_catalog, public;
select isnt(pg_has_role('tenure_test_sms', 'tenure_owner', 'usage'), false, 'The traps are set');
select is(evil.tried(), expected(null), 'A schema of traps: R-158, R-232');
set local search_path to public;
set local role tenure_test_sms;
create temp table queue_grant (queue_id int, role text);
create temp table pg_roles (rolname name, oid oid);
create temp table step (step_id bigint);
create temp table track (track_id int);
create temp table queue (queue_id int);
reset role;
set local search_path to pg_temp, pg_catalog, public;
select is(evil.tried(), expected(null), 'Tables in pg_temp: R-158, R-232');
set local search_path to public;
select is(
    told('tenure_test_mail', 'select tenure.complete(1, ''w'', 1)'), '(completed)', 'Whose step it is, ends it: R-230'
);

select * from finish();
rollback;
