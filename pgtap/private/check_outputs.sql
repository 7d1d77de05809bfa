begin;
select plan(6);

select lives_ok($$ select tenure_private.check_outputs(null, 3) $$, 'No outputs at all');
select lives_ok(
    $$ select tenure_private.check_outputs(array['1', null, 'null']::jsonb [], 3) $$, 'One for each step, or NULL'
);
select lives_ok($$ select tenure_private.check_outputs('{}', 0) $$, 'None for none');
select throws_ok(
    $$ select tenure_private.check_outputs(array['1']::jsonb [], 2) $$, 'TN007', null, 'Too few are refused: R-153'
);
select throws_ok(
    $$ select tenure_private.check_outputs(array['1', '2']::jsonb [], 1) $$, 'TN007', null, 'And too many: R-153'
);
update tenure_private.setting as s set bytes = 8192 where s.name = 'output';
select throws_ok(
    $$ select tenure_private.check_outputs(array['1', to_jsonb(repeat('x', 9000))], 2) $$, 'TN008', null,
    'One that is too large refuses all: R-149'
);

select * from finish();
rollback;
