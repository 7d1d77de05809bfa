create or replace view tenure.workflow_status as
select
    w.name,
    w.version,
    w.definition,
    w.on_failure,
    w.defined_at
from tenure_private.workflow as w;
comment on view tenure.workflow_status is 'Every version of every workflow, as it was defined. Runs begin with the newest.';
