create or replace function tenure_private.ended_waits(p_step_id bigint)
returns jsonb
language sql stable parallel safe
as $function$
select pg_catalog.jsonb_agg(
    pg_catalog.jsonb_build_object('key', w.key, 'kind', w.kind, 'outcome', w.outcome, 'payload', w.payload) order by w.seq
)
from tenure_private.wait as w
where w.step_id = p_step_id and w.outcome is not null;
$function$;
comment on function tenure_private.ended_waits(bigint) is 'The ended sleeps and signal waits of a step, oldest first, as claimed.waits shows them.';
revoke all on function tenure_private.ended_waits(bigint) from public;
