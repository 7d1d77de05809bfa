"""Two real sessions for each race, in both orders: who waits, for which lock, and who wins."""
