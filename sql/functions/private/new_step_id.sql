create or replace function tenure_private.new_step_id()
returns bigint
language sql volatile parallel unsafe
as $function$
select pg_catalog.nextval('tenure_private.step_id_seq');
$function$;
comment on function tenure_private.new_step_id() is 'The next step_id; the place where a shard''s number would go into the high bits.';
revoke all on function tenure_private.new_step_id() from public;
