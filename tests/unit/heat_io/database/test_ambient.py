"""Clock, randomness and cipher of a connection."""

from __future__ import annotations

from sqlalchemy import create_engine

from heat_io.database import Ambient, ambient
from heat_io.database.ambient import utc_now


def test_a_connection_without_surroundings_has_the_real_ones() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        found = ambient(connection)
    engine.dispose()
    assert found.cipher is None
    assert 0 <= found.random() < 1
    assert abs((found.now() - utc_now()).total_seconds()) < 5
    assert found.now().tzinfo is None


async def test_surroundings_come_with_the_connection(database, surroundings: Ambient) -> None:
    assert await database.read(ambient) is surroundings
    assert await database.transaction(ambient) is surroundings
