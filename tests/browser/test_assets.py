"""Static files of the pages: vendored files equal the manifest, and each URL is immutable."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount

from gateway.errors import GatewayError
from gateway.http.static_files import Assets, takes_gzip
from gateway.schema import graphiql

VENDOR = graphiql.HERE / "assets" / "vendor"


@pytest.fixture
def assets(tmp_path: Path) -> Assets:
    (tmp_path / "boot.js").write_text("'use strict';\n" * 100)
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "icon.svg").write_text("<svg/>")
    return Assets(tmp_path, "/a")


async def error_response(_request: Request, error: Any) -> Response:
    return Response(status_code=error.status, headers=error.headers)


@pytest.fixture
def client(assets: Assets) -> httpx.AsyncClient:
    app = Starlette(routes=[Mount("/a", app=assets)], exception_handlers={GatewayError: error_response})
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://test", headers={"Accept-Encoding": ""}
    )


async def test_a_file_is_immutable_at_its_versioned_path(assets: Assets, client: httpx.AsyncClient) -> None:
    answer = await client.get(assets.url("boot.js"))

    assert answer.text == "'use strict';\n" * 100
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_gzip_is_sent_if_the_browser_accepts_it(assets: Assets, client: httpx.AsyncClient) -> None:
    async with client.stream("GET", assets.url("boot.js"), headers={"Accept-Encoding": "gzip, br"}) as answer:
        raw = b"".join([chunk async for chunk in answer.aiter_raw()])

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(raw) == b"'use strict';\n" * 100


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True),
        ("br, GZip ; q=0.1", True),
        ("gzip;q=0, br", False),
        ("gzip; q=0.000", False),
        ("xgzip", False),
        ("", False),
    ],
)
def test_accept_encoding_is_parsed(header: str, accepted: bool) -> None:
    assert takes_gzip(header) is accepted


@pytest.mark.parametrize(
    "path", ["/a/000000000000/boot.js", "/a/boot.js", "/a/", "/a/{v}/../../etc/passwd", "/a/{v}/none"]
)
async def test_other_paths_are_not_found(assets: Assets, client: httpx.AsyncClient, path: str) -> None:
    address = httpx.URL("http://test", raw_path=path.replace("{v}", assets.version).encode())

    assert (await client.get(address)).status_code == 404


async def test_other_methods_are_refused(assets: Assets, client: httpx.AsyncClient) -> None:
    answer = await client.post(assets.url("boot.js"))

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_page_with_a_missing_file_raises_an_error(assets: Assets) -> None:
    with pytest.raises(KeyError):
        assets.url("bot.js")


def test_the_version_follows_the_content(assets: Assets, tmp_path: Path) -> None:
    (tmp_path / "boot.js").write_text("other")

    assert Assets(tmp_path, "/a").version != assets.version


def test_the_vendored_files_equal_the_manifest() -> None:
    manifest = json.loads((VENDOR / "manifest.json").read_text())
    discounted_price_before_use = {name: digest for release in manifest for name, digest in release["sha256"].items()}
    present = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VENDOR.iterdir()}
    present.pop("manifest.json")

    assert present == discounted_price_before_use


def test_each_vendored_release_has_its_licence() -> None:
    for release in json.loads((VENDOR / "manifest.json").read_text()):
        assert "MIT License" in (VENDOR / f"license.{release['package']}.txt").read_text()
