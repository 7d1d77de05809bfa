begin;
select plan(20);

create function refusal(p_kind text, p_detail text default 'values', p_hint text default 'do this')
returns text
language plpgsql
as $$
declare
    v_detail text;
    v_hint text;
begin
    perform tenure_private.refuse(p_kind, 'message', p_detail, p_hint);
exception when others then
    get stacked diagnostics v_detail = pg_exception_detail, v_hint = pg_exception_hint;
    return concat_ws(', ', sqlstate, sqlerrm, v_detail, v_hint);
end
$$;

-- The codes are part of the API: workers in any language tell errors by them.
select is(refusal(k.kind), k.code || ', message, values, do this', format('%s is %s: R-144', k.kind, k.code))
from (
    values
    ('step_not_found', 'TN001'), ('not_a_run', 'TN002'), ('queue_unknown', 'TN003'), ('queue_differs', 'TN004'),
    ('name_invalid', 'TN005'), ('duration_invalid', 'TN006'), ('argument_invalid', 'TN007'), ('too_large', 'TN008'),
    ('timeout_out_of_bounds', 'TN009'),
    ('invalid_transition', 'TN010'),
    ('not_finished', 'TN011'),
    ('run_discarded', 'TN012'),
    ('run_cancelled', 'TN013'), ('stale', 'TN014'), ('quota_unknown', 'TN015'), ('isolation_level', 'TN016'),
    ('run_purging', 'TN017')
) as k (kind, code);
select is(refusal('no such kind'), 'XX000, message, values, do this', 'A kind that is not in the table is a defect');
select is(refusal('stale', null), 'TN014, message, , do this', 'A detail may be missing');
select is(refusal('stale', '%s $$ '' " \'), 'TN014, message, %s $$ '' " \, do this', 'What it says is data: R-159');

select * from finish();
rollback;
