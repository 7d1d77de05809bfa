-- An upgrade is not taken back: the tables have moved on, and what they hold may have no place in the release before.
begin;
do $revert$
begin
    raise exception using
        errcode = 'TN022',
        message = 'an upgrade of Tenure cannot be reverted',
        detail = 'Its tables have moved on.',
        hint = 'To go back restore a backup. To remove the engine run uninstall.sql, then: sqitch revert --log-only.';
end
$revert$;
rollback;
