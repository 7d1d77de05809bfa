create or replace function tenure_private.group_event(p_step_id bigint)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked after a fold, it must see what that has just written.
declare
    v_event text;
begin
    select case
        when s.state = 'discarded' and s.error_kind = 'deadline' then 'discarded'
        when s.state = 'discarded' then 'timed_out discarded'
        else 'timed_out'
    end
    into strict v_event
    from tenure_private.step as s
    where s.step_id = p_step_id;
    return v_event;
end
$function$;
comment on function tenure_private.group_event(bigint) is
'What a sweep counts for a group of which a limit has just passed.';
revoke all on function tenure_private.group_event(bigint) from public;
