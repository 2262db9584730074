"""The specified situations, where tests look for them; the package keeps them, for its studies use them too."""

from noctagon.games.vampires.players.situations import SITUATIONS, Situation, situations_met

__all__ = ["SITUATIONS", "Situation", "situations_met"]
