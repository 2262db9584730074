"""What most tests of the page need: a server, a browser, and somebody in front of it who is content."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.web.chromium import Reader, chromium
from tests.web.page import Page, running


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A server as it is by default; a module that needs another has a `page` of its own."""
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def reader(browser: Browser, page: Page) -> Iterator[Reader]:
    """Afterwards the browser must not have complained."""
    found = Reader(browser, page)
    yield found
    found.close()
    assert found.problems == []
