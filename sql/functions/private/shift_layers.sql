create or replace function tenure_private.shift_layers(p_run_id bigint, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.layer as l
    set entered_at = l.entered_at + greatest(p_now - s.paused_at, interval '0')
    from tenure_private.step as s
    where s.root_id = p_run_id and s.parent_id is not null and s.state = 'paused' and l.step_id = s.step_id
        and l.entered_at is not null;
end
$function$;
comment on function tenure_private.shift_layers(bigint, timestamptz) is
'Moves the clocks of layers on by the time for which their steps were paused; before these are resumed.';
revoke all on function tenure_private.shift_layers(bigint, timestamptz) from public;
