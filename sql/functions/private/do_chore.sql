create or replace function tenure_private.do_chore(p_chore text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    case p_chore
        when 'fold_behind' then perform tenure_private.fold_behind();
        when 'retire' then perform tenure_private.retire(p_now, 2000);
        when 'clear_away' then perform tenure_private.clear_away(p_now);
        when 'look_behind' then perform tenure_private.look_behind(p_now);
    end case;
exception when others then
    -- A chore that cannot be done, such as a purge that a foreign key of others forbids, undoes nothing but itself: to
    -- move steps on is what the sweep is there for.
    raise warning using
        message = format('the sweep could not do its chore %s: %s', p_chore, sqlerrm),
        errcode = sqlstate;
end
$function$;
comment on function tenure_private.do_chore(text, timestamptz) is 'Does one chore of the sweep, by its function''s name: an error is a warning, and the chore is tried again when it is due next.';
revoke all on function tenure_private.do_chore(text, timestamptz) from public;
