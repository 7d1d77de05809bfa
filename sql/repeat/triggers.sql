create or replace trigger queue_replace_seed before insert on tenure_private.queue
for each row when (new.queue_id = 1) execute function tenure_private.replace_seed();
create or replace trigger setting_replace_seed before insert on tenure_private.setting
for each row execute function tenure_private.replace_seed();
create or replace trigger high_clock_replace_seed before insert on tenure_private.high_clock
for each row execute function tenure_private.replace_seed();
