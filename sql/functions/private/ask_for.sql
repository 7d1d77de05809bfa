create or replace function tenure_private.ask_for(p_verb text)
returns tenure_private.ask
language sql immutable parallel safe
as $function$
select row(p_verb, null, null, null, null, null, null, null)::tenure_private.ask;
$function$;
comment on function tenure_private.ask_for(text) is 'A report that says no more than its verb.';
revoke all on function tenure_private.ask_for(text) from public;
