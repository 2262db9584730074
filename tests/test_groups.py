"""Tests of one group run in one worker, which sets up what they share once."""

import pytest


@pytest.mark.xdist_group("shared")
@pytest.mark.parametrize("number", range(2))
def test_the_group_of_a_test_is_known_to_the_workers(request: pytest.FixtureRequest, number: int) -> None:
    """Not every pytest goes with every xdist: where they do not fit, xdist ignores groups in silence."""
    if hasattr(request.config, "workerinput"):
        assert request.node.nodeid.endswith(f"[{number}]@shared")
