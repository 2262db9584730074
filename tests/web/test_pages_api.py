"""Whatever is sent to the routes of servers, tournaments and maps: it is answered or refused, and nothing breaks."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings

from noctagon.web.app import create_app
from tests.web.page import Page

schema = schemathesis.openapi.from_dict(create_app().openapi())


def nothing_broke(ctx: Any, response: Any, case: Any) -> None:
    """Fail on a server error, unless the server says that it is busy: the page has limits, and other tests use it."""
    assert response.status_code < 500 or (response.status_code == 503 and response.json()["error"])


@schema.include(path_regex=r"^/api/v1/(servers|tournaments|boards|maps)").parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_it(case: Any, page: Page) -> None:
    case.call_and_validate(
        base_url=page.url,
        checks=[nothing_broke, schemathesis.checks.response_schema_conformance],
    )
