"""Workflows: a small model of what the engine promises, and random graphs that both have to agree on."""
