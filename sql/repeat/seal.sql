-- Last: what stands now is what verify_schema() expects to find.
grant usage on schema tenure to tenure_client, tenure_worker, tenure_operator, tenure_reader;
grant select on
tenure.run_status,
tenure.step_status,
tenure.workflow_status,
tenure.attempt_log,
tenure.queue_status,
tenure.quota_status,
tenure.worker_status,
tenure.lease_status,
tenure.queue_grants
to tenure_reader, tenure_operator;

insert into tenure_private.installation (version, installed_at) values ('@VERSION@', clock_timestamp())
on conflict on constraint installation_pkey do update set version = excluded.version;

delete from tenure_private.shipped;
insert into tenure_private.shipped (object, aspect, fact)
select
    c.object,
    c.aspect,
    c.fact
from tenure_private.catalogue() as c;

-- What was amiss before an upgrade, and is still as it was found then, was not shipped: a foreign trigger, a missing
-- index, another fillfactor.
do $amiss$
declare
    v_amiss constant jsonb = coalesce(nullif(current_setting('tenure.amiss', true), ''), '[]');
begin
    delete from tenure_private.shipped as s
    using jsonb_populate_recordset(null::tenure.difference, v_amiss) as d
    where s.object = d.object and s.aspect = d.aspect and s.fact = d.found;
    insert into tenure_private.shipped (object, aspect, fact)
    select d.object, d.aspect, d.expected
    from jsonb_populate_recordset(null::tenure.difference, v_amiss) as d
    where d.expected is not null
        and not exists (
            select from tenure_private.shipped as s where s.object = d.object and s.aspect = d.aspect
        )
        -- What was there, and has been dropped by the migration, is not amiss any more.
        and (d.found is null or exists (select from tenure_private.catalogue() as c where c.object = d.object));
end
$amiss$;
