begin;
select plan(1);

select is(
    tenure_private.head_lock(), 1952804469, 'One number for all: two releases side by side must shut each other out'
);

select * from finish();
rollback;
