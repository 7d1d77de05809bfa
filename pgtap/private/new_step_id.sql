begin;
select plan(3);
\ir ../session.psql

select is(tenure_private.new_step_id(), 1::bigint, 'One after the other: R-002');
select is(tenure_private.new_step_id(), 2::bigint, 'And no number twice: R-002');
select is(
    (select q.seqmax from pg_sequence as q where q.seqrelid = 'tenure_private.step_id_seq'::regclass), 281474976710655,
    'The bits above the 48th are a shard''s: R-002'
);

select * from finish();
rollback;
