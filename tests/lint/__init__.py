"""The checks of `make lint` that no ready-made linter has. Each returns its findings."""
