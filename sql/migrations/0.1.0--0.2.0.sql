-- Locks: as every upgrade: setting, queue and high_clock against writers, each view against readers; at its very end
--   behind, and so for an instant claims and sweeps, which read it.
-- Time: about a second, however many steps there are.

create table tenure_private.queue_grant (
    queue_id int not null constraint queue_grant_queue_id_fkey references tenure_private.queue,
    role text collate "C" not null,
    constraint queue_grant_pkey primary key (queue_id, role)
);
comment on table tenure_private.queue_grant is
'Which roles may use a queue. By name, so that a dump can be restored where the roles were made anew. Empty: whoever may call a function may use every queue.';
