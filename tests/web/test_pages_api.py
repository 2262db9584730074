"""Whatever is sent to the routes of servers, tournaments and maps: it is answered or refused, and nothing breaks."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings

from noctagon.web.app import create_app
from tests.web.page import Page

schema = schemathesis.openapi.from_dict(create_app().openapi())


@schema.include(path_regex=r"^/api/v1/(servers|tournaments|boards|maps)").parametrize()
@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_no_request_breaks_it(case: Any, page: Page) -> None:
    case.call_and_validate(
        base_url=page.url,
        checks=[schemathesis.checks.not_a_server_error, schemathesis.checks.response_schema_conformance],
    )
