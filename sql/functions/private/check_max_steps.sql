create or replace function tenure_private.check_max_steps(p_max_steps int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_max_steps is null or p_max_steps not between 1 and 1000 then
        perform tenure_private.refuse(
            'argument_invalid', 'max_steps is out of range', format('Given: %s.', p_max_steps), 'Give 1 to 1000.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_max_steps(int) is 'Refuses (TN007) a batch size outside 1 to 1000.';
revoke all on function tenure_private.check_max_steps(int) from public;
