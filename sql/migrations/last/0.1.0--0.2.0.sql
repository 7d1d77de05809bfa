-- Without a primary key this is what a publication of all tables needs to let rows be deleted.
alter table tenure_private.behind replica identity full;
