-- Two schemas: everything in tenure may be called or read, nothing in tenure_private may.
create schema tenure authorization tenure_owner;
create schema tenure_private authorization tenure_owner;

set local role tenure_owner;

comment on schema tenure is 'Tenure: a durable job engine. Functions to call and views to read.';
comment on schema tenure_private is 'Tenure''s own tables and helpers. No role but the owner has any right here.';
