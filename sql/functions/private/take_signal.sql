create or replace function tenure_private.take_signal(p_run_id bigint, p_step_id bigint, p_key text, p_signal text)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_seq bigint;
    v_payload jsonb;
begin
    if not exists (
        select from tenure_private.wait as w where w.step_id = p_step_id and w.key = p_key and w.outcome is null
    ) then
        return false;
    end if;
    select s.seq, s.payload into v_seq, v_payload
    from tenure_private.signal as s
    where s.run_id = p_run_id and s.signal = p_signal
    order by s.seq
    limit 1;
    if v_seq is null then
        return false;
    end if;
    delete from tenure_private.signal as s where s.run_id = p_run_id and s.signal = p_signal and s.seq = v_seq;
    update tenure_private.wait as w set outcome = 'arrived', payload = v_payload
    where w.step_id = p_step_id and w.key = p_key;
    return true;
end
$function$;
comment on function tenure_private.take_signal(bigint, bigint, text, text) is
'Gives the oldest kept signal of this name to an open wait; true when there was one. The run is locked by the caller.';
revoke all on function tenure_private.take_signal(bigint, bigint, text, text) from public;
