"""The server, or a session in the middle of a call, is killed."""
