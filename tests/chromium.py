"""A real Chromium restricted to loopback, and pages that record console errors and requests to other hosts."""

import asyncio
import io
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from PIL import Image, ImageChops, ImageStat
from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright, expect
from starlette.types import ASGIApp

PATIENCE_MILLISECONDS = 45_000
"""Timeout of expectations. Playwright's default of five seconds is too short for a busy machine."""
expect.set_options(timeout=PATIENCE_MILLISECONDS)
IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Debian's headless shell comes first: it loads a page in less than half the time."""


def find_chromium() -> str:
    """Debian's Chromium or a Chrome on PATH. Without one, CI fails and other machines skip."""
    for name in CHROMIUMS:
        if path := shutil.which(name):
            return path
    reason = "no chromium on PATH: the pages are tested in a real browser (Debian and Ubuntu: apt install chromium)"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=list(FLAGS), timeout=2 * PATIENCE_MILLISECONDS
        )
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the application on an ephemeral loopback port; yields its base URL."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        if task.done():
            task.result()
        await asyncio.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await task


@dataclass
class Visit:
    """A page and its console errors, uncaught exceptions and requests to other hosts."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    async def watch(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        self.page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in {"data", "blob"} and address.hostname != "127.0.0.1":
            self.foreign.append(request.url)

    async def stop_the_clock(self) -> None:
        """Call before the first visit: from then on timers fire only in `page.clock.run_for(…)`."""
        now = datetime.now(UTC)
        await self.page.clock.install(time=now)
        await self.page.clock.pause_at(now + timedelta(hours=1))

    def assert_clean(self) -> None:
        """Assert that the console has no error (CSP violations are errors) and that no other host was requested."""
        assert self.complaints == []
        assert self.foreign == []

    def complaints_but(self, expected: str) -> list[str]:
        """The console's messages without the expected ones."""
        return [message for message in self.complaints if expected not in message]

    async def picture(self, name: str, *, full_page: bool = False) -> bytes:
        """A screenshot (PNG), asserted not to be blank; with GATEWAY_SCREENSHOTS=1 also saved to `docs/images`."""
        shot = await self.page.screenshot(animations="disabled", caret="hide", full_page=full_page)
        image = Image.open(io.BytesIO(shot)).convert("RGB")
        ground = Image.new("RGB", image.size, tuple(ImageStat.Stat(image).median))
        apart = reduce(ImageChops.lighter, ImageChops.difference(image, ground).split())
        drawn = 1 - apart.histogram()[0] / (image.width * image.height)
        assert image.getcolors(maxcolors=50) is None, (
            "the page is blank or nearly so: it has no more than fifty colours"
        )
        assert drawn > 0.01, "the page is blank or nearly so"
        if os.environ.get("GATEWAY_SCREENSHOTS") == "1":
            await asyncio.to_thread(_save, name, shot)
        return shot


def _save(name: str, shot: bytes) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(shot)).convert("P", palette=Image.Palette.ADAPTIVE, colors=256).save(
        IMAGES / f"{name}.png", optimize=True
    )


@asynccontextmanager
async def visiting(browser: Browser, **context_options: object) -> AsyncIterator[Visit]:
    """A page in its own context (cookies, storage), watched from before its first request."""
    options = {"viewport": {"width": 1440, "height": 900}, "locale": "pt-BR", **context_options}
    context = await browser.new_context(**options)  # type: ignore[arg-type]  # Playwright's options are 30 keywords; callers pass them as such.
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    try:
        visit = Visit(await context.new_page())
        await visit.watch()
        yield visit
    finally:
        await context.close()
