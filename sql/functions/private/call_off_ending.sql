create or replace function tenure_private.call_off_ending(p_group_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_group record;
begin
    for r_group in
        select g.step_id, g.ending as reason
        from tenure_private.step_group as g
        where g.step_id = any(p_group_ids) and g.ending is not null and not g.doomed
        order by g.step_id
    loop
        perform tenure_private.call_off_under(r_group.step_id, r_group.reason, p_now);
    end loop;
end
$function$;
comment on function tenure_private.call_off_ending(bigint[], timestamptz) is
'Calls off what is still open in those of these groups that are ending.';
revoke all on function tenure_private.call_off_ending(bigint[], timestamptz) from public;
