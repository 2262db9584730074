"""Terms of the evaluations of AI Wargame, worked out by hand."""

import pytest

from noctagon.games.wargame import WargameState
from noctagon.games.wargame.players import evaluation

pytestmark = pytest.mark.kernel


def test_a_unit_that_is_engaged_has_no_freedom_unless_it_is_nimble() -> None:
    """The attacker's AI has two cells ahead, its Program one; the defender's AI two."""
    apart = WargameState.from_units({"E4": "aA9", "E0": "aP9", "A0": "dA9"})
    assert evaluation.e2.terms(apart)["freedom"] == 2 + 1 - 2
    engaged = WargameState.from_units({"E4": "aA9", "E0": "aP9", "E1": "dF9", "A0": "dA9"})
    assert evaluation.e2.terms(engaged)["freedom"] == 2 - 2
    nimble = WargameState.from_units({"E4": "aA9", "E0": "aV9", "E1": "dF9", "A0": "dA9"})
    assert evaluation.e2.terms(nimble)["freedom"] == 2 + 1 - 2


def test_an_ai_is_at_home_in_its_own_corner() -> None:
    """The attacker's evaluation minds how far the defender's AI is from A0, and not how far its own is from E4."""
    own, enemy = evaluation.assault.by_term["home"]
    for steps, cell in enumerate(("A0", "B0", "B1")):
        state = WargameState.from_units({"E4": "aA9", cell: "dA9"})
        assert evaluation.assault.terms(state)["home"] == -enemy * steps
    assert (own, enemy < 0) == (0, True)
