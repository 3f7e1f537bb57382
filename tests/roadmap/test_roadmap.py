"""The roadmap board: contract section 3, specification sections 4 and 7."""

import asyncio
from datetime import timedelta
from typing import Any

from gateway.models.database import Database
from gateway.resolvers.core.context import Services
from tests.api_client import Api, Merchant
from tests.applicants import staff_member
from tests.fake_clock import MovedClock


async def board_of(api: Api, services: Services, *titles: str) -> tuple[Merchant, list[str]]:
    """A staff member, and the ids of their items on the board."""
    staff = await staff_member(api, services)
    made = [await api.post("/roadmap", {"title": title}, token=staff.token) for title in titles]
    return staff, [answer.json()["data"]["id"] for answer in made]


async def titles(api: Api, query: str, merchant: Merchant) -> list[str]:
    answer = await api.get(f"/roadmap{query}", token=merchant.token)
    assert answer.status_code == 200, answer.text
    return [item["title"] for item in answer.json()["data"]]


async def test_an_item_is_created_changed_and_deleted(
    api: Api, services: Services, merchant: Merchant, clock: MovedClock
) -> None:
    staff = await staff_member(api, services)
    form = {"title": "Pix automático", "description": " ", "category": "cobranças", "votes_count": 99, "user_id": "x"}
    first = await api.post("/roadmap", form, token=staff.token, idempotency_key="um")
    again = await api.post("/roadmap", form, token=staff.token, idempotency_key="um")
    assert (first.status_code, again.headers["idempotent-replayed"]) == (201, "true")
    item = first.json()["data"]
    assert again.json()["data"] == item
    assert sorted(item) == sorted(
        [
            "id",
            "title",
            "description",
            "category",
            "status",
            "votes_count",
            "comments_count",
            "voted",
            "created_at",
            "updated_at",
        ]
    )
    assert (item["description"], item["status"], item["votes_count"], item["voted"]) == (None, "under_review", 0, False)

    clock.advance(timedelta(minutes=1))
    path = f"/roadmap/{item['id']}"
    same = await api.put(path, {"title": item["title"]}, token=staff.token)
    assert same.json()["data"] == item, "an equal value is no change"
    changed = (await api.put(path, {"status": "planned", "category": None}, token=staff.token)).json()["data"]
    assert (changed["status"], changed["category"], changed["title"]) == ("planned", None, "Pix automático")
    assert changed["updated_at"] > item["updated_at"]
    assert (await api.get(path, token=merchant.key)).json()["data"] == changed, "a key reads the board, too"

    await api.post(f"{path}/vote", token=merchant.token)
    await api.post(f"{path}/comments", {"body": "Quero!"}, token=merchant.token)
    gone = (await api.delete(path, token=staff.token)).json()["data"]
    assert gone["desvinculados"] == {"roadmap_votes.item_id": 1, "roadmap_comments.item_id": 1}
    for answer in (
        await api.get(path, token=merchant.token),
        await api.get(f"{path}/comments", token=merchant.token),
        await api.post(f"{path}/vote", token=merchant.token),
        await api.post(f"{path}/comments", {"body": "E agora?"}, token=merchant.token),
        await api.delete(path, token=staff.token),
    ):
        assert answer.status_code == 404, answer.text


async def test_a_vote_belongs_to_a_user_and_toggles(api: Api, services: Services, merchant: Merchant) -> None:
    other = await api.register_merchant()
    _, (item, untouched) = await board_of(api, services, "Boleto", "Cartão")

    async def vote(voter: Merchant) -> dict[str, Any]:
        answer = await api.post(f"/roadmap/{item}/vote", token=voter.token)
        assert answer.status_code == 200
        result: dict[str, Any] = answer.json()["data"]
        return result

    async def seen(viewer: Merchant) -> tuple[bool, int]:
        items = (await api.get("/roadmap", token=viewer.token)).json()["data"]
        assert {each["votes_count"] for each in items if each["id"] == untouched} == {0}
        return next((each["voted"], each["votes_count"]) for each in items if each["id"] == item)

    assert await vote(merchant) == {"id": item, "voted": True, "votes_count": 1}
    assert await vote(other) == {"id": item, "voted": True, "votes_count": 2}
    assert await vote(merchant) == {"id": item, "voted": False, "votes_count": 1}
    assert (await seen(merchant), await seen(other)) == ((False, 1), (True, 1))
    refused = await api.post(f"/roadmap/{item}/vote", token=other.key)
    assert (refused.status_code, refused.json()["error"]["codigo"]) == (403, "SOMENTE_PAINEL")
    assert await seen(other) == (True, 1)


async def test_counts_are_right_under_parallel_toggles(api: Api, services: Services, database: Database) -> None:
    staff, (item,) = await board_of(api, services, "Boleto")
    voters = [staff, *[await api.register_merchant() for _ in range(4)]]
    # An odd number of toggles is a vote; the last user has an even number. Comments are interleaved.
    turns = [voter for voter in voters for _ in range(3)] + [voters[-1]]
    votes = [api.post(f"/roadmap/{item}/vote", token=voter.token) for voter in turns]
    comments = [api.post(f"/roadmap/{item}/comments", {"body": "Já!"}, token=voter.token) for voter in voters]
    answers = await asyncio.gather(*votes, *comments)

    assert {answer.status_code for answer in answers} == {200, 201}
    data = (await api.get(f"/roadmap/{item}", token=voters[0].token)).json()["data"]
    assert (data["votes_count"], data["comments_count"], data["voted"]) == (4, 5, True)
    async with database.pool.acquire() as connection:
        assert await connection.fetchval("select count(*) from roadmap_votes") == 4
    added = [answer.json()["data"]["id"] for answer in answers if answer.status_code == 201]
    gone = await asyncio.gather(
        *(api.delete(f"/roadmap/{item}/comments/{comment}", token=staff.token) for comment in [*added[:2], added[0]])
    )
    assert sorted(answer.status_code for answer in gone) == [200, 200, 404]
    data = (await api.get(f"/roadmap/{item}", token=staff.token)).json()["data"]
    assert data["comments_count"] == 3


async def test_comments_show_only_the_name_of_their_author(
    api: Api, services: Services, merchant: Merchant, clock: MovedClock
) -> None:
    staff, (item, other) = await board_of(api, services, "Boleto", "Cartão")
    path = f"/roadmap/{item}/comments"
    longest = "x" * 2000
    for author, body in ((merchant, " Uma linha\ne outra. "), (staff, longest)):
        answer = await api.post(path, {"body": body, "author_name": "Outro", "is_staff": True}, token=author.token)
        assert answer.status_code == 201, answer.text
        clock.advance(timedelta(seconds=1))
    for body in ("", "  ", longest + "x", None, 7, "a\x00b"):
        assert (await api.post(path, {"body": body}, token=merchant.token)).status_code == 400, body
    assert (await api.post(path, {"body": "oi"}, token=merchant.key)).status_code == 403

    listed = await api.get(f"{path}?limit=1&page=2", token=merchant.token)
    assert listed.json()["pagination"]["total"] == 2
    (first,) = listed.json()["data"]
    assert sorted(first) == ["author_name", "body", "created_at", "id", "is_staff", "item_id"]
    assert (first["author_name"], first["is_staff"], first["body"]) == ("Ana Lojista", False, "Uma linha\ne outra.")
    second = (await api.get(f"{path}?sort=-created_at", token=merchant.token)).json()["data"][0]
    assert (second["author_name"], second["is_staff"]) == ("Bia Equipe", True)
    assert (await api.get(f"{path}?q=linha", token=merchant.token)).json()["data"] == [first]
    for secret in (merchant.id, merchant.email, staff.email, "Loja da Ana"):
        assert secret not in (await api.get(path, token=staff.token)).text

    wrong_item = await api.delete(f"/roadmap/{other}/comments/{first['id']}", token=staff.token)
    assert wrong_item.status_code == 404
    by_author = await api.delete(f"{path}/{first['id']}", token=merchant.token)
    assert (by_author.status_code, by_author.json()["error"]["codigo"]) == (403, "SOMENTE_ADMIN")
    assert len((await api.get(path, token=staff.token)).json()["data"]) == 2


async def test_the_board_is_filtered_and_ordered(api: Api, services: Services, merchant: Merchant) -> None:
    staff = await staff_member(api, services)
    ids = {}
    for title, category, status in (
        ("Boleto", "cobranças", "planned"),
        ("Cartão 100%", "cobranças", "declined"),
        ("Modo escuro", "painel", "planned"),
    ):
        form = {"title": title, "category": category, "status": status}
        ids[title] = (await api.post("/roadmap", form, token=staff.token)).json()["data"]["id"]
    for voter in (merchant, staff):
        await api.post(f"/roadmap/{ids['Modo escuro']}/vote", token=voter.token)
    await api.post(f"/roadmap/{ids['Boleto']}/vote", token=voter.token)

    assert await titles(api, "?sort=-votes_count", merchant) == ["Modo escuro", "Boleto", "Cartão 100%"]
    assert await titles(api, "?sort=votes_count&limit=2&page=1", merchant) == ["Cartão 100%", "Boleto"]
    assert sorted(await titles(api, "?status=planned", merchant)) == ["Boleto", "Modo escuro"]
    assert await titles(api, "?status=planned&category=painel", merchant) == ["Modo escuro"]
    assert await titles(api, "?q=0%25", merchant) == ["Cartão 100%"]
    assert await titles(api, "?created_from=2999-01-01", merchant) == []
    for bad in ("?sort=title", "?status=aberto", "?limit=101"):
        assert (await api.get(f"/roadmap{bad}", token=merchant.token)).status_code == 400

    query = """query($after: String) { roadmap(first: 1, after: $after, order: votes_count_desc) {
        totalCount pageInfo { endCursor hasNextPage } edges { node { title votesCount voted } } } }"""
    found, after = [], None
    for _ in range(3):
        page = (await api.graphql(query, token=merchant.token, after=after))["data"]["roadmap"]
        found += [(edge["node"]["votesCount"], edge["node"]["voted"]) for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
    assert (found, page["totalCount"], page["pageInfo"]["hasNextPage"]) == (
        [(2, True), (1, False), (0, False)],
        3,
        False,
    )


async def test_comments_have_no_limit_of_their_own(api: Api, services: Services, merchant: Merchant) -> None:
    _, (item,) = await board_of(api, services, "Relatórios")
    added = [await api.post(f"/roadmap/{item}/comments", {"body": "Já!"}, token=merchant.token) for _ in range(40)]
    assert {answer.status_code for answer in added} == {201}
