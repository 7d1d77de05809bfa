"""Text in databases and on connections that have not every letter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psycopg
import pytest

from tenure import ArgumentInvalid, AsyncClient, Client
from tenure.migrate import installed_version, migrate
from tests.client.test_cli import tenure
from tests.support.repository import VERSION
from tests.support.servers import Database, TestServer

OMEGA = "\N{GREEK CAPITAL LETTER OMEGA}"

NOT_ENCODABLE = "text with a character that the encoding of the database, or of the connection, does not have"


@pytest.fixture
def empty_database(server: TestServer, encoding: str) -> Iterator[Database]:
    """A database of this encoding without the engine."""
    with server.database(template="template0", encoding=encoding) as made:
        yield made


@pytest.fixture
def database(empty_database: Database) -> Database:
    """A database of this encoding with the engine in it."""
    migrate(empty_database.connect())
    return empty_database


@pytest.mark.parametrize(
    ("encoding", "of_session"),
    [
        ("UTF8", "LATIN1"),
        ("UTF8", "SQL_ASCII"),
        ("LATIN1", "LATIN1"),
        ("LATIN1", "UTF8"),
        ("LATIN2", "LATIN2"),
        ("LATIN2", "UTF8"),
        ("EUC_JP", "UTF8"),
        ("SQL_ASCII", "SQL_ASCII"),
        ("SQL_ASCII", "UTF8"),
    ],
)
def test_the_engine_is_installed_whatever_the_encoding(empty_database: Database, of_session: str) -> None:
    """R-386."""
    with psycopg.connect(empty_database.dsn(), autocommit=True, client_encoding=of_session) as conn:
        assert installed_version(conn) is None
        assert str(migrate(conn)) == f"installed {VERSION}"
        assert installed_version(conn) == VERSION
        assert Client(conn).verify_schema() == []


@pytest.mark.parametrize("encoding", ["LATIN2", "SQL_ASCII"])
def test_the_commands_work_whatever_the_encoding(empty_database: Database) -> None:
    """R-386."""
    dsn = f"{empty_database.dsn()}&client_encoding=SQL_ASCII"
    assert tenure("migrate", "--dsn", dsn).stdout == f"installed {VERSION}\n"
    assert tenure("verify", "--dsn", dsn).stdout == f"version {VERSION} is as it was installed\n"


@pytest.mark.parametrize("encoding", ["LATIN1"])
def test_looking_for_the_engine_leaves_a_session_as_it_was(database: Database) -> None:
    """R-202."""
    with psycopg.connect(database.dsn()) as conn:
        conn.execute("set local search_path = somewhere, public")
        assert installed_version(conn) == VERSION
        assert conn.execute("show search_path").fetchone() == ("somewhere, public",)
        assert (conn.info.encoding, conn.execute("show client_encoding").fetchone()) == (
            "iso8859-1",
            ("LATIN1",),
        )


@pytest.mark.parametrize("encoding", ["LATIN1"])
def test_a_letter_that_a_database_does_not_have_is_refused(database: Database) -> None:
    """R-384, R-145: by its own error, and what it has is stored."""
    with Client.connect(database.dsn()) as client:
        with pytest.raises(ArgumentInvalid, match=NOT_ENCODABLE) as caught:
            client.enqueue("ship", OMEGA)
        assert isinstance(caught.value.__cause__, psycopg.errors.UntranslatableCharacter)
        assert client.status(client.enqueue("é").id).name == "é"

    async def main() -> None:
        async with AsyncClient.connect(database.dsn()) as client:
            with pytest.raises(ArgumentInvalid, match=NOT_ENCODABLE):
                await client.enqueue(OMEGA)

    asyncio.run(main())
    counted = database.connect().execute("select count(*) from tenure.step_status").fetchone()
    assert counted == (1,)


@pytest.mark.parametrize("encoding", ["SQL_ASCII"])
def test_a_database_that_takes_any_bytes_gives_text_back(database: Database) -> None:
    """R-384: on a caller's connection, too, which says nothing of its encoding."""
    with Client.connect(database.dsn()) as client, psycopg.connect(database.dsn(), autocommit=True) as own:
        run = client.enqueue(OMEGA, OMEGA)
        for each in (client, Client(own)):
            assert (each.status(run.id).name, each.status(run.id).state) == (OMEGA, "available")
        assert own.execute("select name from tenure.step_status").fetchone() == (OMEGA.encode(),)


@pytest.mark.parametrize("encoding", ["UTF8"])
def test_the_environment_has_no_say_in_it(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-384."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with Client.connect(database.dsn()) as client:
        assert client.status(client.enqueue(OMEGA).id).name == OMEGA

    async def main() -> str:
        async with AsyncClient.connect(database.dsn()) as client:
            return (await client.status((await client.enqueue(OMEGA)).id)).name

    assert asyncio.run(main()) == OMEGA


@pytest.mark.parametrize("encoding", ["UTF8"])
def test_a_letter_that_the_callers_connection_does_not_have_is_refused(database: Database) -> None:
    """R-384: the transaction goes on."""
    with psycopg.connect(database.dsn(), client_encoding="LATIN1") as own:
        client = Client(own)
        with pytest.raises(ArgumentInvalid, match=NOT_ENCODABLE) as caught:
            client.enqueue("ship", OMEGA)
        assert isinstance(caught.value.__cause__, UnicodeEncodeError)
        assert client.status(client.enqueue("é").id).name == "é"
