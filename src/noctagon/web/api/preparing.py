"""`/preparation`: what is still being compiled, this one time only, and how far it is."""

from __future__ import annotations

from noctagon.web.context import TheContext
from noctagon.web.messages.preparing import PreparationView
from noctagon.web.routing import MessageRouter

router = MessageRouter(prefix="/preparation", tags=["preparation"])


@router.get("")
async def preparation(context: TheContext) -> PreparationView:
    """Return how far the compilation of the games is. What is not ready is answered with 503 and `Retry-After`."""
    return context.preparation.view()
