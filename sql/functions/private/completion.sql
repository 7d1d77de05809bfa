create or replace function tenure_private.completion()
returns tenure_private.outcome
language sql immutable parallel safe
as $function$
select row(
    'completed', 'completed', null, null, null, null, null, null, null, null, null, null
)::tenure_private.outcome;
$function$;
comment on function tenure_private.completion() is 'The outcome of a completion in time.';
revoke all on function tenure_private.completion() from public;
