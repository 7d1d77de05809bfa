"""What takes a real connection, a killed process or a restarted server. SQL alone is in pgtap/."""
