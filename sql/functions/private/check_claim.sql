create or replace function tenure_private.check_claim(p_owner text, p_max_steps int, p_lease_ttl interval)
returns interval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        perform tenure_private.refuse(
            'isolation_level', 'claim needs READ COMMITTED',
            format('The transaction is %s.', current_setting('transaction_isolation')),
            'A frozen snapshot would hide committed steps; begin the transaction at READ COMMITTED.'
        );
    end if;
    perform tenure_private.check_name(p_owner, 'owner');
    perform tenure_private.check_max_steps(p_max_steps);
    if p_lease_ttl is null or p_lease_ttl <= interval '0' then
        perform tenure_private.refuse(
            'duration_invalid', 'lease_ttl must be longer than nothing',
            format('Given: %s.', p_lease_ttl), 'Give for example 30 s.'
        );
    end if;
    return tenure_private.duration(p_lease_ttl, 'lease_ttl');
end
$function$;
comment on function tenure_private.check_claim(text, int, interval) is 'Refuses malformed arguments of a claim; the ttl comes back as pure seconds.';
revoke all on function tenure_private.check_claim(text, int, interval) from public;
