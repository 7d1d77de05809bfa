create or replace function tenure_private.keep_house()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    if tenure_private.chore_due(-1, v_now, interval '1 second') then
        perform tenure_private.do_chore('retire', v_now);
    end if;
    if tenure_private.chore_due(-2, v_now, interval '30 seconds') then
        perform tenure_private.do_chore('clear_away', v_now);
        perform tenure_private.do_chore('look_behind', v_now);
    end if;
end
$function$;
comment on function tenure_private.keep_house() is 'What the sweep does now and then besides: retention, and the clearing away of what has expired.';
revoke all on function tenure_private.keep_house() from public;
