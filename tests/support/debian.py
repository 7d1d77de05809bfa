"""Tools that no wheel brings: pg_prove, pgTAP, plpgsql_check, Sqitch.

Installed ones are used where they are. Where they are not, their Debian packages are downloaded and unpacked
below the environment's folder, which takes no root and changes nothing outside it. Where even that cannot be
done the run fails with the command that installs them.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

FOLDER = Path(sys.prefix) / "debian"
PG_PROVE = ("usr/bin/pg_prove", "libtap-parser-sourcehandler-pgtap-perl")
PGTAP = ("usr/share/postgresql/*/extension/pgtap.sql", "postgresql-[0-9]+-pgtap")
PLPGSQL_CHECK = ("usr/lib/postgresql/15/lib/plpgsql_check.so", "postgresql-15-plpgsql-check")
PLPGSQL_CHECK_SQL = ("usr/share/postgresql/15/extension/plpgsql_check--*.sql", "postgresql-15-plpgsql-check")


class MissingToolError(Exception):
    """A tool is not here and cannot be fetched; the message says which command installs it."""


@cache
def tool(pattern: str, package: str) -> Path:
    """Return the newest file that matches the pattern, from the system or from the package unpacked in our
    folder.

    `package` is a regular expression: Debian names some packages after the server's version.
    """
    for root in (Path("/"), FOLDER):
        found = _newest(root, pattern)
        if found:
            return found
    reason = _unpack(package)
    found = _newest(FOLDER, pattern)
    if found is None:
        name = _package_name(package) or package
        raise MissingToolError(
            f"{Path(pattern).name} is missing ({reason}). Install it: apt-get install -y {name}"
        )
    return found


def pg_prove_command() -> tuple[list[str], dict[str, str]]:
    """Return the command that starts pg_prove, and the environment it needs."""
    program = tool(*PG_PROVE)
    if (
        shutil.which("perl") is None
        or subprocess.run(["perl", "-MTAP::Harness", "-e1"], check=False).returncode != 0
    ):
        raise MissingToolError("pg_prove needs Perl's TAP::Harness. Install it: apt-get install -y perl")
    modules = program.parent.parent / "share" / "perl5"
    return ["perl", str(program)], {"PERL5LIB": str(modules)}


def sqitch_command() -> tuple[list[str], dict[str, str]]:
    """Return the command that starts Sqitch, and the environment it needs."""
    perl = ["perl", "-MApp::Sqitch", "-MDBD::Pg", "-e1"]
    environment = {
        "PERL5LIB": os.pathsep.join(
            str(path) for path in (FOLDER / "usr/share/perl5", *FOLDER.glob("usr/lib/*/perl5/*"))
        ),
        "LD_LIBRARY_PATH": os.pathsep.join(str(path) for path in FOLDER.glob("usr/lib/*-linux-*")),
    }
    if (
        shutil.which("perl")
        and subprocess.run(
            perl, env=os.environ | environment, stderr=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    ):
        return ["perl", "-MApp::Sqitch", "-e", "exit App::Sqitch->go"], environment
    if not (FOLDER / "usr/bin/sqitch").exists() and not _unpack_with_all("sqitch", "libdbd-pg-perl"):
        return sqitch_command()
    raise MissingToolError("Sqitch is missing. Install it: apt-get install -y sqitch libdbd-pg-perl perl")


def _newest(root: Path, pattern: str) -> Path | None:
    found = sorted(
        root.glob(pattern), key=lambda path: [int(digits) for digits in re.findall(r"\d+", str(path))]
    )
    return found[-1] if found else None


def _package_name(package: str) -> str | None:
    """Return the newest package that the expression names, as far as apt knows any."""
    if shutil.which("apt-cache") is None:
        return None
    done = _apt("apt-cache", "search", "--names-only", f"^{package}$")
    names = sorted((line.split()[0] for line in done.stdout.splitlines()), key=lambda name: (len(name), name))
    return names[-1] if names else None


def _unpack(package: str) -> str:
    """Download the package and unpack it; return why not, or an empty string."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return "no apt-get here"
    name = _package_name(package)
    fetched = FOLDER / "fetched"
    fetched.mkdir(parents=True, exist_ok=True)
    if name is None or _apt("apt-get", "download", name, cwd=fetched).returncode != 0:
        # The machine's package lists are missing or old. Make our own instead of changing the machine's.
        updated = _apt("apt-get", "update", own_lists=True)
        name = _package_name(package)
        if name is None:
            return f"apt-get knows no such package: {updated.stderr.strip()[-300:]}"
        downloaded = _apt("apt-get", "download", name, cwd=fetched, own_lists=True)
        if downloaded.returncode != 0:
            return f"apt-get cannot download it: {downloaded.stderr.strip()[-300:]}"
    for archive in fetched.glob(f"{name}_*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(FOLDER)], check=True)
    return ""


def _unpack_with_all(*packages: str) -> str:
    """Download the packages and all that they need and the machine lacks; unpack them, or return why not."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return "no apt-get here"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        # The runs for the two servers come here side by side.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _apt("apt-get", "update", own_lists=True)
        options = ["--yes", "--no-install-recommends", "--download-only", "-o", "Debug::NoLocking=1"]
        done = _apt("apt-get", "install", *options, *packages, own_lists=True)
        if done.returncode != 0:
            return f"apt-get cannot download it: {done.stderr.strip()[-300:]}"
        for archive in (FOLDER / "apt" / "cache" / "archives").glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", str(archive), str(FOLDER)], check=True)
    return ""


def _apt(*command: str, cwd: Path | None = None, own_lists: bool = False) -> subprocess.CompletedProcess[str]:
    """Run apt in plain English; with `own_lists` (or once they exist) on package lists below our folder."""
    state = FOLDER / "apt"
    options: list[str] = []
    if own_lists or state.exists():
        for part in ("state/lists/partial", "cache/archives/partial"):
            (state / part).mkdir(parents=True, exist_ok=True)
        options = ["-o", f"Dir::State={state / 'state'}", "-o", f"Dir::Cache={state / 'cache'}"]
        options += ["-o", "Dir::State::status=/var/lib/dpkg/status", "-o", "APT::Sandbox::User="]
    return subprocess.run(
        [command[0], *options, *command[1:]],
        cwd=cwd,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
