"""Tests of servers of one's own."""
