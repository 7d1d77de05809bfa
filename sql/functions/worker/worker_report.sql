create or replace function tenure.worker_report(owner text, report jsonb)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    perform tenure_private.check_name(worker_report.owner, 'owner');
    perform tenure_private.check_size('report', tenure_private.document_size(worker_report.report));
    perform tenure_private.drop_waiter(worker_report.owner);
    insert into tenure_private.worker as w (
        owner, channel, queues, idle, hello_at, expires_at, report, reported_at
    )
    values (
        worker_report.owner, 'tenure_' || left(md5(worker_report.owner), 16), '{}', false, v_now, v_now,
        worker_report.report, v_now
    )
    on conflict on constraint worker_pkey do update set (idle, expires_at, report, reported_at, waiter_id) = (
        false, excluded.expires_at, excluded.report, excluded.reported_at, null
    );
end
$function$;
comment on function tenure.worker_report(text, jsonb) is
'Stores what a worker says of its shutdown, and that it has left. It moves no step.
Errors: TN005 owner, TN008 report over 1 MB.';
revoke all on function tenure.worker_report(text, jsonb) from public;
grant execute on function tenure.worker_report(text, jsonb) to tenure_worker;
