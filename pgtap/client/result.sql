begin;
select plan(17);
\ir ../session.psql
\ir ../steps.psql

create function refusal(p_run_id bigint)
returns text
language plpgsql
as $$
declare
    v_detail text;
begin
    perform tenure.result(p_run_id);
    return 'none';
exception when others then
    get stacked diagnostics v_detail = pg_exception_detail;
    return format('%s: %s: %s', sqlstate, sqlerrm, v_detail);
end
$$;

select tenure.enqueue('job');
select is(refusal(1), 'TN011: the run has not ended: Run 1 is available.', 'Before the run starts: R-152');
select take();
select is(refusal(1), 'TN011: the run has not ended: Run 1 is running.', 'While it runs: R-152');
select tenure.sleep(1, 'w', 1, '1 s');
select is(refusal(1), 'TN011: the run has not ended: Run 1 is waiting_timer.', 'While it sleeps: R-152');
select tenure.pause(1);
select is(refusal(1), 'TN011: the run has not ended: Run 1 is paused.', 'While it is paused: R-152');
select tenure.resume(1);
select set_clock('1 s');
select swept();
select take();
select tenure.fail(1, 'w', 2, '{"type": "E"}', retry_after => '0');
select
    is(
        refusal(1), 'TN011: the run has not ended: Run 1 is available.', 'A failure with attempts left is no end: R-152'
    );
select take();
select tenure.complete(1, 'w', 3, '{"n": [1, 2]}');
select is(tenure.result(1), '{"n": [1, 2]}'::jsonb, 'Completed: the output, R-151');

select tenure.enqueue('job');
select take();
select tenure.complete(2, 'w', 1);
select is(tenure.result(2), null, 'Completed without one: NULL');
select tenure.enqueue('job');
select take();
select tenure.complete(3, 'w', 1, 'null');
select is(tenure.result(3), 'null'::jsonb, 'JSON null is one');
select tenure.enqueue('job');
select take();
select tenure.skip(4, 'w', 1, 'not needed');
select is(tenure.result(4), null, 'Skipped: NULL, R-151');

select tenure.enqueue('job');
select take();
select tenure.fail(5, 'w', 1, '{"type": "BadCard"}', 'permanent');
select is(
    refusal(5),
    'TN012: the run was discarded: permanent: {"type": "BadCard"}',
    'Discarded: its kind and its error, R-152'
);
select tenure.enqueue('job');
select take();
select tenure.fail(6, 'w', 1, jsonb_build_object('message', repeat('x', 60000)), 'permanent');
select is(length(refusal(6)), 10000 + length('TN012: the run was discarded: permanent: '), 'A long one is cut');
select tenure.enqueue('job');
select tenure.cancel(7, 'changed my mind');
select is(refusal(7), 'TN013: the run was cancelled: changed my mind', 'Cancelled: the reason, R-152');
select tenure.enqueue('job');
select tenure.cancel(8);
select is(refusal(8), 'TN013: the run was cancelled: No reason was given.', 'Or that there was none');
select tenure.enqueue('job', max_attempts => 1);
select take();
select tenure.fail(9, 'w', 1, '{"type": "Busy"}');
select is(
    refusal(9),
    'TN012: the run was discarded after its last attempt: {"type": "Busy"}',
    'Of one without attempts its kind would read as if it could be retried'
);

select add_child(1, 500);
select throws_ok('select tenure.result(500)', 'TN002', null, 'A child is no run');
select throws_ok('select tenure.result(999)', 'TN001', null, 'An unknown id is refused');
select throws_ok('select tenure.result(null)', 'TN001', null, 'NULL is no run');

select * from finish();
rollback;
