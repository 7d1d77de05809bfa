"""Tests of upgrades from the releases in sql/releases."""
