create or replace function tenure_private.was_consumed(p_error_kind text)
returns int
language sql immutable parallel safe
as $function$
select case
    when p_error_kind in ('retryable', 'permanent', 'uncertain', 'timeout', 'progress', 'output_conflict') then 1
    else 0
end;
$function$;
comment on function tenure_private.was_consumed(text) is
'1 if a step discarded by this kind had used up its last attempt, else 0: by deadline, start_within and reclaim_limit none is.';
revoke all on function tenure_private.was_consumed(text) from public;
