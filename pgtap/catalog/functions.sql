begin;
select plan(16);

-- Every function of the two schemas, as the catalogue has it.
create temp view f as
select
    p.oid::regprocedure::text as signature,
    p.proname::text as name,
    n.nspname = 'tenure' as callable,
    p.prosecdef,
    p.proconfig,
    p.prosrc,
    l.lanname,
    pg_get_userbyid(p.proowner)::text as owner,
    has_function_privilege('public', p.oid, 'execute') as for_all,
    obj_description(p.oid, 'pg_proc') as description,
    p.proargnames,
    p.pronargs
from pg_proc as p
join pg_namespace as n on n.oid = p.pronamespace
join pg_language as l on l.oid = p.prolang
where n.nspname in ('tenure', 'tenure_private');

select set_eq(
    'select name from f where callable',
    array[
        'enqueue', 'enqueue_many', 'define_step', 'signal', 'cancel', 'status', 'result', 'claim', 'heartbeat',
        'heartbeat_many', 'complete', 'complete_many', 'skip', 'fail', 'release', 'sleep', 'wait_signal', 'checkpoint',
        'worker_hello', 'worker_report', 'sweep', 'retry', 'pause', 'resume', 'create_queue', 'alter_queue',
        'pause_queue', 'resume_queue', 'grant_queue', 'revoke_queue', 'set_quota', 'purge', 'define_workflow',
        'start', 'stage',
        'staged', 'start_child', 'fold', 'schema_version', 'verify_schema'
    ],
    'The functions to call, and no others'
);
select is_empty('select signature from f where callable and not prosecdef', 'All are SECURITY DEFINER: R-154');
select is_empty(
    $$select signature from f where callable and proconfig[1] is distinct from 'search_path=pg_catalog, pg_temp'$$,
    'All pin their search_path, pg_temp last: R-154'
);
select is_empty('select signature from f where for_all', 'PUBLIC may execute none, of either schema: R-154');
select is_empty($$select signature from f where owner <> 'tenure_owner'$$, 'All belong to tenure_owner');
select is_empty('select signature from f where prosecdef and not callable', 'No helper is SECURITY DEFINER: R-154');
select set_eq(
    'select name from f where proconfig is null',
    array[
        'ask_for', 'begun_at', 'caller', 'clock', 'completion', 'document_size', 'has_details', 'has_tree',
        'head_lock', 'in_time',
        'limit_below', 'limit_passed', 'nearest_limit', 'new_step_id', 'next_alarm', 'relation_kind', 'time_left',
        'too_large', 'was_consumed'
    ],
    'Unpinned are only helpers that the planner is to inline, all called under a pin: R-154'
);
select is_empty(
    $$select signature from f where proconfig is null and lanname <> 'sql'$$, 'All of them are single SQL expressions'
);
select is_empty(
    $$select signature from f where proconfig is not null and proconfig[1] <> 'search_path=pg_catalog, pg_temp'$$,
    'A helper that pins, pins the same: R-154'
);
select is_empty(
    'select name, count(*) from f where callable group by name having count(*) > 1', 'No name has two signatures: R-161'
);
select is_empty(
    $$select signature from f where description is null or description = ''$$, 'Each has a comment: R-161'
);
select is_empty(
    $$select signature from f where callable and description ~ '\mTN0\d\d\M' is false
        and name not in ('schema_version', 'verify_schema')$$,
    'The comment of each that can refuse names its errors'
);
select is_empty(
    $$select signature from f where pronargs > 0 and (proargnames is null or '' = any(proargnames))$$,
    'All parameters have names'
);
select set_eq(
    $$select name from f
    where regexp_replace(prosrc, '--[^\n]*', '', 'g')
        ~* '\m(now|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday)\s*\('$$,
    array['clock', 'begun_at'], 'One function reads the clock; the other knows a transaction''s begin: R-013'
);
select is_empty(
    $$select signature from f
    where regexp_replace(prosrc, '--[^\n]*', '', 'g')
        ~* '\m(current_timestamp|current_time|current_date|localtimestamp|localtime)\M'$$,
    'Nor is it read by another word: R-013'
);
select is_empty(
    $$select signature from f where lanname = 'plpgsql' and prosrc ~* '\mexecute\M'$$, 'No statement is built from text'
);

select * from finish();
rollback;
