begin;
select plan(9);

select is(tenure_private.was_consumed(k.kind), k.consumed, format('%s: R-108', k.kind))
from (
    values
    ('retryable', 1), ('permanent', 1), ('uncertain', 1), ('timeout', 1), ('progress', 1), ('output_conflict', 1),
    ('deadline', 0), ('start_within', 0), ('reclaim_limit', 0)
) as k (kind, consumed);

select * from finish();
rollback;
