"""Tests of getting the engine into a database, and the package into an environment."""
