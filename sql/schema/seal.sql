-- Last: what stands now is what verify_schema() expects to find.
grant select on
tenure.run_status,
tenure.step_status,
tenure.workflow_status,
tenure.attempt_log,
tenure.queue_status,
tenure.quota_status,
tenure.worker_status,
tenure.lease_status
to tenure_reader, tenure_operator;

truncate tenure_private.shipped;
insert into tenure_private.shipped (object, aspect, fact)
select
    c.object,
    c.aspect,
    c.fact
from tenure_private.catalogue() as c;

reset role;
