"""Texts without accents, here and in the database: what is kept is folded there, and what is typed here; what isn't
kept is found by a pattern (ADR 0050).
"""

import random
from unicodedata import category

import pytest

from gateway.models.database import Database
from gateway.resolvers.listing.folding import folded, pattern
from tests import sql

DIFFER = """
select letter from unnest($1::text[]) letter where normalize(folded(letter), nfd) collate "C" <> name_order(letter) collate "C"
"""
FOLDED = "select letter, folded(letter) as folded, lower(letter) as low from unnest($1::text[]) letter where folded(letter) <> lower(letter)"
UNFOUND = "select letter from unnest($1::text[], $2::text[]) as given (letter, pattern) where lower(letter) !~ pattern"
FINDS = "select lower(given.said) ~ given.pattern as by_pattern, position(given.sought in folded(given.said)) > 0 as by_folding from unnest($1::text[], $2::text[], $3::text[]) with ordinality as given (said, sought, pattern, nth) order by nth"
NO_LETTERS = range(0xD800, 0xE000)
MADE_OF = "aáÃcçeêoõnñAÇ\u0301\u0303\u0327 .*+?^$|()[]{}\\-_%~=≠ßøİk\u212a1'\"#:"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("João da Conceição", "joao da conceicao"),
        ("JOA\u0303O", "joao"),
        ("Ñandú Çelik Škoda", "nandu celik skoda"),
        ("Nguyễn Đình", "nguyen đinh"),
        ("Straße Søren", "straße søren"),
        ("한국", "한국"),
        ("\u0301", ""),
    ],
)
async def test_letters_lose_their_accents_here_and_in_the_database(database: Database, text: str, told: str) -> None:
    assert folded(text) == told
    assert await sql.value(database, "select folded($1)", text) == told


async def test_a_pattern_finds_every_letter_that_folds_to_one(database: Database) -> None:
    numbers = (number for number in range(1, 0x30000) if number not in NO_LETTERS)
    letters = [
        letter for letter in map(chr, numbers) if category(letter) != "Cn"
    ]  # The database may know a later Unicode.
    changed = await sql.rows(database, FOLDED, letters)
    assert len(changed) > 1500
    other = [row["letter"] for row in changed if row["folded"] != folded(row["letter"])]
    assert other == [], "Python and PostgreSQL differ"
    # Some letters of Hebrew and of Indian scripts are two when they are composed, and only found as two.
    single = [row["letter"] for row in changed if len(row["folded"]) == 1]
    assert await sql.rows(database, UNFOUND, single, [pattern(folded(letter)) for letter in single]) == []


async def test_what_is_kept_of_a_name_is_in_the_order_of_names(database: Database) -> None:
    letters = [chr(number) for number in range(1, 0x110000) if number not in NO_LETTERS]
    assert await sql.rows(database, DIFFER, letters) == []


async def test_a_pattern_finds_what_folding_finds_and_has_no_wildcards(database: Database) -> None:
    chance = random.Random(50)
    asked = []
    for _ in range(5000):
        said = "".join(chance.choices(MADE_OF, k=12))
        start = chance.randrange(12)
        part = (
            said[start : start + chance.randint(1, 6)]
            if chance.random() < 0.7
            else "".join(chance.choices(MADE_OF, k=2))
        )
        asked.append((said, folded(part), pattern(folded(part))))
    found = await sql.rows(database, FINDS, *(list(column) for column in zip(*asked, strict=True)))
    assert [one for one, row in zip(asked, found, strict=True) if row["by_pattern"] != row["by_folding"]] == []
    assert 1000 < sum(row["by_folding"] for row in found) < 4900, "both are tried"
