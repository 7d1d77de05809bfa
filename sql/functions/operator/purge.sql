create or replace function tenure.purge(older_than interval, max_rows int default 1000)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the runs that it removes, tried.
declare
    v_now constant timestamptz = tenure_private.clock();
    v_age constant interval = tenure_private.duration(purge.older_than, 'older_than');
    v_ids bigint [];
begin
    if v_age is null or purge.max_rows is null or purge.max_rows not between 1 and 100000 then
        perform tenure_private.refuse(
            'argument_invalid', 'older_than or max_rows is out of range',
            format('Given: %s, %s.', purge.older_than, purge.max_rows),
            'Give an age, and 1 to 100000 rows.'
        );
    end if;
    with old as materialized (
        select s.step_id
        from tenure_private.step as s
        where s.finished_at is not null and s.parent_id is null and s.finished_at <= v_now - v_age
            and (s.lease_expiry is null or s.lease_expiry < v_now)
        order by s.finished_at
        limit purge.max_rows
    )
    select array_agg(o.step_id) into strict v_ids from old as o;
    if v_ids is null then
        return 0;
    end if;
    return tenure_private.purge_runs(v_ids, purge.max_rows);
end
$function$;
comment on function tenure.purge(interval, int) is
'Removes runs that ended at least older_than ago, and returns how many rows of all tables went, at most max_rows (1 to 100000); 0: none is left. A run too large for one call takes several, and is hidden from the first of them on.
Errors: TN006 older_than, TN007 max_rows.';
revoke all on function tenure.purge(interval, int) from public;
grant execute on function tenure.purge(interval, int) to tenure_operator;
