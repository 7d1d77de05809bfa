-- What the caller adds to this transaction is the caller's again.
set local role none;
set local search_path to default;
