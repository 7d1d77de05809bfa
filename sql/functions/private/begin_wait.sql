create or replace function tenure_private.begin_wait(
    p_step tenure_private.step, p_now timestamptz, p_ask tenure_private.ask
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- signal() takes the run's lock, which the caller holds too (a plain step is its own run): so a signal is either
-- here already or will find this wait.
declare
    v_kind constant text = case p_ask.verb when 'sleep' then 'sleep' else 'signal' end;
    v_verdict constant text = case p_ask.verb when 'sleep' then 'sleeping' else 'waiting' end;
    v_key text := p_ask.wait_key;
    v_outcome tenure_private.outcome;
    v_ended text;
begin
    -- A wait that a deadline cut short is no wait any more: left open it would take the next one's signal.
    delete from tenure_private.wait as w where w.step_id = p_step.step_id and w.outcome is null;
    if v_key is null then
        select concat_ws(':', v_kind, p_ask.signal, count(*) + 1) into strict v_key
        from tenure_private.wait as w
        where w.step_id = p_step.step_id and w.kind = v_kind and w.signal is not distinct from p_ask.signal;
    end if;
    insert into tenure_private.wait (step_id, key, kind, signal, created_at)
    values (p_step.step_id, v_key, v_kind, p_ask.signal, p_now)
    -- Asked for once more, it is the one of which claimed.signal tells; its place among the waits stays.
    on conflict on constraint wait_pkey do update set again = nextval('tenure_private.wait_seq_seq');
    if v_kind = 'signal' then
        perform tenure_private.take_signal(p_step.root_id, p_step.step_id, v_key, p_ask.signal);
    end if;
    select w.outcome into strict v_ended
    from tenure_private.wait as w
    where w.step_id = p_step.step_id and w.key = v_key;
    if v_ended is not null then
        v_outcome := tenure_private.back_in_line(p_step, p_now, v_verdict);
    else
        v_outcome.verdict := v_verdict;
        v_outcome.state := case v_kind when 'sleep' then 'waiting_timer' else 'waiting_signal' end;
        v_outcome.due_at := p_now + p_ask.pause;
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.begin_wait(tenure_private.step, timestamptz, tenure_private.ask) is
'Opens a sleep or a signal wait under its key. A wait that has ended already (its key is recorded, or the signal is here) makes the step available at once.';
revoke all on function tenure_private.begin_wait(tenure_private.step, timestamptz, tenure_private.ask) from public;
