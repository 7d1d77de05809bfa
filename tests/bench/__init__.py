"""`make bench`: what the engine costs, each figure beside its yardstick from the same run."""
