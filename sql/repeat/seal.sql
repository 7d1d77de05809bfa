-- Last: what stands now is what verify_schema() expects to find.
grant usage on schema tenure to tenure_client, tenure_worker, tenure_operator, tenure_reader;
grant select on
tenure.run_status,
tenure.step_status,
tenure.attempt_log,
tenure.queue_status,
tenure.worker_status,
tenure.lease_status
to tenure_reader, tenure_operator;

insert into tenure_private.installation (version, installed_at) values ('@VERSION@', pg_catalog.clock_timestamp())
on conflict on constraint installation_pkey do update set version = excluded.version;

truncate tenure_private.shipped;
insert into tenure_private.shipped (object, aspect, fact)
select
    c.object,
    c.aspect,
    c.fact
from tenure_private.catalogue() as c;
