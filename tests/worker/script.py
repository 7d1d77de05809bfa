"""An application and its worker in one file, as a beginner writes it."""

from __future__ import annotations

import sys

import tenure

app = tenure.App()


@app.step
async def greets(ctx: tenure.Context, input: object) -> str:
    """Say hello."""
    return "hello"


if __name__ == "__main__":
    tenure.Worker(app, dsn=sys.argv[1]).run()
