begin;
select plan(10);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', backoff => '{"kind": "fixed", "base": 0, "jitter": 0}');

-- One step for each pair of verbs: the first report, then the second, from the same owner and generation.
create function answers(p_first text)
returns text
language plpgsql
as $$
declare
    v_verbs constant text[] = array['complete', 'complete_many', 'skip', 'fail', 'release', 'sleep', 'wait_signal'];
    v_first text;
    v_second text;
    v_answers text[];
    v_step_id bigint;
begin
    foreach v_second in array v_verbs loop
        v_step_id := tenure.enqueue('t');
        perform take();
        v_first := report(p_first, v_step_id, 'w', 1);
        v_answers := v_answers || report(v_second, v_step_id, 'w', 1);
        perform tenure.cancel(v_step_id);
    end loop;
    return format('%s: %s', v_first, array_to_string(v_answers, ' '));
end
$$;

-- The second one, in this order:      complete  complete_many skip fail release sleep wait_signal
select is(answers('complete'), 'completed: completed completed stale stale stale stale stale', 'R-050, R-051');
select is(answers('complete_many'), 'completed: completed completed stale stale stale stale stale', 'R-050, R-051');
select is(answers('skip'), 'skipped: stale stale skipped stale stale stale stale', 'R-050, R-051');
select is(answers('fail'), 'retrying: stale stale stale retrying stale stale stale', 'R-050, R-051');
select is(answers('release'), 'released: stale stale stale stale released stale stale', 'R-050, R-051');
select is(answers('sleep'), 'sleeping: stale stale stale stale stale sleeping stale', 'R-050, R-051');
select is(answers('wait_signal'), 'waiting: stale stale stale stale stale stale waiting', 'R-050, R-051');

-- What happens from outside meanwhile changes no answer: here a sleep that was woken and a failure that was retried.
select tenure.enqueue('t') from generate_series(1, 4);
select take();
select tenure.sleep(50, 'w', 1, '0');
select tenure.fail(51, 'w', 1, '"e"', kind => 'permanent');
select tenure.release(52, 'w', 1);
select tenure.fail(53, 'w', 1, '"e"');
select tenure.sweep();
select tenure.retry(51);
select tenure.pause(52);
select tenure.cancel(53);
select is(
    array[
        tenure.sleep(50, 'w', 1, '0'), tenure.fail(51, 'w', 1, '"e"', kind => 'permanent'), tenure.release(52, 'w', 1),
        tenure.fail(53, 'w', 1, '"e"')
    ],
    array['sleeping', 'discarded', 'released', 'retrying'], 'Woken, retried, paused, cancelled: R-050'
);
select take();
select is(
    array[tenure.sleep(50, 'w', 1, '0'), tenure.fail(51, 'w', 1, '"e"', kind => 'permanent')],
    array['stale', 'stale'], 'Claimed again: R-051, R-110'
);

-- A verdict belongs to its own execution: one that ended without a report has none to repeat.
select tenure.enqueue('t');
select take('w', '1 s');
select tenure.fail(54, 'w', 1, '"e"');
select take('w', '1 s');
select set_clock('2 s');
select tenure.sweep();
select is(tenure.fail(54, 'w', 2, '"e"'), 'stale', 'The verdict of an earlier execution is not repeated: R-051');

select * from finish();
rollback;
