create or replace view tenure.queue_grants as
select
    q.name as queue,
    g.role,
    r.oid is not null as role_exists
from tenure_private.queue_grant as g
join tenure_private.queue as q on q.queue_id = g.queue_id
left join pg_catalog.pg_roles as r on r.rolname = g.role;
comment on view tenure.queue_grants is
'Which queues were granted to which roles. role_exists false: the role was dropped or renamed, and the grant keeps the queue closed all the same.';
