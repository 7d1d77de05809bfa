"""What every connection that this package makes has in common."""

from __future__ import annotations

from typing import Any

SESSION: dict[str, Any] = {"autocommit": True, "client_encoding": "UTF8"}
"""Arguments of psycopg's `connect`, beside the DSN.

Whoever uses the connection says itself where a transaction begins. And whatever the database, the role, the
DSN or PGCLIENTENCODING says of encodings, all text can be sent: if the database cannot store it, that is the
server's to say, as of any other value.
"""
