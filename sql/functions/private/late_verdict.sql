create or replace function tenure_private.late_verdict(
    p_step tenure_private.step, p_owner text, p_generation bigint, p_verb text
)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    -- reported is "verb verdict owner"; it speaks of the last generation, until the next claim clears it.
    if p_step.lease_generation = p_generation
        and split_part(p_step.reported, ' ', 1) = p_verb
        and substr(p_step.reported, length(p_verb) + length(split_part(p_step.reported, ' ', 2)) + 3) = p_owner
    then
        return split_part(p_step.reported, ' ', 2);
    elsif p_step.state = 'cancelled' then
        return 'cancelled';
    end if;
    return 'stale';
end
$function$;
comment on function tenure_private.late_verdict(tenure_private.step, text, bigint, text) is
'The answer to a report without a lease: the one it got before, else cancelled, else stale.';
revoke all on function tenure_private.late_verdict(tenure_private.step, text, bigint, text) from public;
