"""What the supervisor and the handler process say to each other, and how it looks on the pipe.

A message is a list: its verb, then its arguments, all plain JSON. Messages travel in batches: one frame
is the length of its body (8 bytes, big endian) and a JSON array of messages.

From the supervisor::

    ["begin", {"app", "dsn", "owner"}]             once, first
    ["start", CLAIMED]                             one execution, see `Claimed.wire`
    ["cancel", step_id, generation, reason]        the reasons of `ctx.reason`
    ["answer", ask_id, value, refusal]             to an "ask": JSON text or null; a refusal or null
    ["quit"]

From the handler process::

    ["ready", [names]]                             or
    ["broken", sentence]                           the application cannot be loaded
    ["done", step_id, generation, verb, [arguments]]      see `Outcome`
    ["progress", step_id, generation, text]
    ["ask", ask_id, step_id, generation, key, value]      a checkpoint: JSON text, or null to read
"""

from __future__ import annotations

import json
import struct
from typing import Any

Message = list[Any]

_LENGTH = struct.Struct(">Q")


def pack(messages: list[Message]) -> bytes:
    """One frame. ASCII only, so that even a lone surrogate passes through."""
    body = json.dumps(messages, separators=(",", ":"), check_circular=False).encode("ascii")
    return _LENGTH.pack(len(body)) + body


class Unpacker:
    """Turns the bytes of a stream, cut anywhere, into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages that `data` completes."""
        buffer = self._buffer
        buffer += data
        messages: list[Message] = []
        start = 0
        while len(buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(buffer, start)
            end = start + _LENGTH.size + length
            if len(buffer) < end:
                break
            messages += json.loads(buffer[start + _LENGTH.size : end])
            start = end
        del buffer[:start]
        return messages
