"""Tenure's tests: what takes a real connection, a killed process or a restarted server. SQL alone lies in pgtap/."""
