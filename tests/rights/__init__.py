"""Who may do what, and how the engine is removed."""
