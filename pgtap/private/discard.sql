begin;
select plan(2);
\ir ../session.psql
\ir ../steps.psql

create function discarded()
returns jsonb
language sql
as $$
select jsonb_strip_nulls(to_jsonb(tenure_private.discard(s, 'discarded', 'permanent', '{"type": "E"}')))
from tenure_private.step as s
$$;

select tenure.enqueue('job');
select is(
    discarded(),
    '{"verdict": "discarded", "state": "discarded", "error_kind": "permanent", "error": {"type": "E"}}',
    'Ended, with its error; where none ran no attempt ended'
);
select take();
select is(discarded() ->> 'ends_attempt', 'permanent', 'Where one ran, it did');

select * from finish();
rollback;
