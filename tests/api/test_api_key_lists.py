"""Lists of API keys: both environments, never the key."""

from gateway.values.ids import new_id
from tests.api_client import Api, Merchant

LIST = "query($filter: ApiKeyFilter) { apiKeys(filter: $filter) { totalCount edges { node { id prefix active environment } } } }"


async def test_keys_are_listed_and_read_without_the_secret(api: Api, merchant: Merchant) -> None:
    created = await api.post("/api-keys", {"name": "nova", "environment": "test"}, token=merchant.token)
    key = created.json()["data"]
    listed = await api.get("/api-keys", token=merchant.key)
    assert listed.status_code == 200
    rows = listed.json()["data"]
    assert [row["id"] for row in rows] == [key["id"], merchant.key_id]
    assert rows[0] == {name: value for name, value in key.items() if name != "key"}
    assert key["key"] not in listed.text
    one = await api.get(f"/api-keys/{key['id']}", token=merchant.key)
    assert one.json()["data"] == rows[0]
    read = await api.graphql("query($id: ID!) { apiKey(id: $id) { id name } }", token=merchant.key, id=key["id"])
    assert read["data"]["apiKey"] == {"id": key["id"], "name": "nova"}


async def test_keys_of_both_environments_are_one_list(api: Api, merchant: Merchant, database) -> None:
    created = (await api.post("/api-keys", {"name": "x", "environment": "test"}, token=merchant.token)).json()["data"]
    async with database.pool.acquire() as connection:
        await connection.execute(
            "update api_keys set environment = 'live', active = false where id = $1", created["id"]
        )
    for query, expected in {
        "": [created["id"], merchant.key_id],
        "?environment=live": [created["id"]],
        "?environment=test": [merchant.key_id],
        "?status=inactive": [created["id"]],
        "?status=active": [merchant.key_id],
        "?q=LOJA": [merchant.key_id],
        "?sort=created_at&page=1": [merchant.key_id, created["id"]],
    }.items():
        answer = (await api.get(f"/api-keys{query}", token=merchant.key)).json()
        assert [row["id"] for row in answer["data"]] == expected, query
    live = (await api.graphql(LIST, token=merchant.key, filter={"environment": "live", "status": "inactive"}))["data"]
    assert [edge["node"]["id"] for edge in live["apiKeys"]["edges"]] == [created["id"]]
    for query in ("environment=prod", "status=x", "sort=name"):
        assert (await api.get(f"/api-keys?{query}", token=merchant.key)).status_code == 400


async def test_keys_of_other_stores_are_not_found(api: Api, merchant: Merchant) -> None:
    other = await api.register_merchant()
    assert [row["id"] for row in (await api.get("/api-keys", token=other.key)).json()["data"]] == [other.key_id]
    for key_id in (merchant.key_id, new_id()):
        assert (await api.get(f"/api-keys/{key_id}", token=other.key)).status_code == 404
