"""What the supervisor and a handler process say to each other, and how it looks on the pipe.

A message is a list: its verb, then its arguments, all plain JSON. Messages travel in batches: one frame
is the length of its body (8 bytes, big endian) and a JSON array of messages. Instants are monotonic.

From the supervisor::

    ["begin", {"app", "dsn", "owner", "logs", "role"}]     once, first
    ["start", step_id, generation, TERM, CLAIMED]  one execution: the instants of its lease, see `Term`, and
                                                   its row, see `to_wire`
    ["renewed", step_id, generation, TERM]         its lease was renewed
    ["cancel", step_id, generation, reason, until] the reasons of `ctx.reason`; when it must be over
    ["where", step_id, generation]                 one that is overdue; answered by "there"
    ["answer", ask_id, value, refusal]             to an "ask": its value; a refusal or null
    ["ping"]                                       answered by a "pong" of the loop that runs the handlers
    ["terminate"]                                  to a slot: interrupt what would not stop
    ["quit", until]                                stop what runs, and be gone by then

From the handler process::

    ["ready", [names]]                             or
    ["broken", sentence]                           the application cannot be loaded
    ["done", step_id, generation, verb, [arguments], stack]
                                                   see `Outcome`; a stack: some of it runs on, there
    ["there", step_id, generation, stack]          it has said nothing and has not ended
    ["ended", step_id, generation]                 and now nothing of it does
    ["holds", step_id, generation]                 its open transaction holds its report
    ["progress", step_id, generation, text]
    ["ask", ask_id, step_id, generation, verb, [arguments]]     see `Questions`
    ["pong"]
"""

from __future__ import annotations

import json
import struct
from typing import Any

Message = list[Any]

LONGEST = 1 << 28
"""Bytes of a body: several times what the largest message takes, an output of 16 MB full of escapes."""

_LENGTH = struct.Struct(">Q")


class GarbledError(Exception):
    """What has come over the pipe is none of this: somebody else has written to it, or read from it."""


def pack(messages: list[Message]) -> bytes:
    """One frame, or several where one would be too long.

    ASCII only, so that even a lone surrogate passes through.
    """
    body = json.dumps(messages, separators=(",", ":"), check_circular=False).encode("ascii")
    if len(body) > LONGEST and len(messages) > 1:
        half = len(messages) // 2
        return pack(messages[:half]) + pack(messages[half:])
    return _LENGTH.pack(len(body)) + body


class Unpacker:
    """Turns the bytes of a stream, cut anywhere, into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages that `data` completes; GarbledError when it makes none."""
        buffer = self._buffer
        buffer += data
        messages: list[Message] = []
        start = 0
        while len(buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(buffer, start)
            if length > LONGEST:
                raise GarbledError(f"a frame of {length} bytes")
            end = start + _LENGTH.size + length
            if len(buffer) < end:
                break
            messages += _messages(buffer[start + _LENGTH.size : end])
            start = end
        del buffer[:start]
        return messages


def _messages(body: bytearray) -> list[Message]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise GarbledError(f"a frame that is no JSON: {error}") from error
    if not isinstance(found, list) or not all(isinstance(message, list) for message in found):
        raise GarbledError("a frame of no messages")
    return found
