begin;
select plan(2);
\ir ../session.psql
\ir ../tree.psql

-- A key stands for no run that is hidden.
select tenure.define_step('kid', max_attempts => 1);
select tenure.define_workflow('fails', '{"nodes": [
    {"name": "a"}, {"name": "b", "policy": [{"retry": {"attempts": 1}}]},
    {"name": "c", "policy": [{"retry": {"attempts": 3, "delay": "1 h"}}]}
]}');
select set_clock('4 m');
create temporary table keyed as select tenure.start('fails', idempotency_key => 'once') as run_id;
select tenure.cancel(run_id) from keyed;
select tenure.define_step('plain');
create temporary table plain as select tenure.enqueue('plain', idempotency_key => 'once') as run_id;
select tenure.claim('{default}', 'w', names => '{plain}');
select tenure.start_child(run_id, 'w', 1, 'kid') from plain;
select tenure.complete(run_id, 'w', 1) from plain;
select set_clock('10 h');
-- Calls purge until nothing is left, and tells how often a key stood for what nobody can see.
create function purged_by_ones()
returns bigint
language plpgsql
as $$
declare
    v_broken bigint := 0;
begin
    while tenure.purge('1 h', 1) > 0 loop
        v_broken := v_broken + (
            select count(*)
            from tenure_private.idempotency as i
            where i.kind in ('step', 'workflow')
                and not exists (select from tenure.run_status as r where r.run_id = i.step_id)
        );
    end loop;
    return v_broken;
end
$$;
select is(purged_by_ones(), 0::bigint, 'However little goes at once, the key goes first: R-446');
select is(tenure.start('fails', idempotency_key => 'once') > run_id, true, 'and is free for another run') from keyed;
select * from finish();
rollback;
