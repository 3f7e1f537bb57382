"""Endpoints and events for the tests of the webhooks."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.api_client import Merchant

Register = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def register(merchant: Merchant) -> Register:
    """Create an endpoint; returns the API's `data`."""

    async def create(**changes: Any) -> dict[str, Any]:
        body = {"name": "loja", "url": "http://127.0.0.1:18200/hook", **changes}
        response = await merchant.api.post("/webhook-endpoints", body, token=merchant.token)
        assert response.status_code == 201, response.text
        created: dict[str, Any] = response.json()["data"]
        return created

    return create
