create or replace function tenure_private.check_units(p_quota tenure_private.quota, p_units int)
returns void
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_units is null or p_units < 1 then
        perform tenure_private.refuse(
            'argument_invalid', 'quota_units is out of range', format('Given: %s.', p_units), 'Give 1 or more.'
        );
    elsif p_units > p_quota.capacity then
        perform tenure_private.refuse(
            'argument_invalid', 'the quota could never hold these units',
            format('Units %s, capacity of quota %s: %s.', p_units, p_quota.name, p_quota.capacity),
            'Give fewer units, or raise the capacity first: select tenure.set_quota(name, capacity).'
        );
    end if;
end
$function$;
comment on function tenure_private.check_units(tenure_private.quota, int) is
'Refuses units under 1, and those above the capacity of the quota; a quota of NULLs bounds nothing.';
revoke all on function tenure_private.check_units(tenure_private.quota, int) from public;
