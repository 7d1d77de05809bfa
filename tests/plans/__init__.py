"""What the engine's calls may cost: bounds on buffers, row versions and notifications, never on time."""
