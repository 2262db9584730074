"""The web server that runs the application, set up for many sockets that each carry little."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from noctagon.web.app import create_app
from noctagon.web.preparing import Preparation
from noctagon.web.settings import Settings

CLOSING_SECONDS = 5


class PageServer(uvicorn.Server):
    """A server that reports when it has begun to listen."""

    def __init__(self, config: uvicorn.Config, started_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self.started_listening = started_listening
        self.presses = 0
        self.failure: Exception | None = None
        """The error of the function that was called at the start."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End everything in order at the first Ctrl-C, at once at the third."""
        self.presses += 1
        if self.presses == 1:
            super().handle_exit(sig, frame)
        elif self.presses > 2:
            os._exit(130)  # the processes that were started end with this one

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            try:
                self.started_listening()
            except Exception as error:  # the server still shuts down in order
                self.should_exit = True
                self.failure = error


def server(
    settings: Settings,
    *,
    started: Callable[[], None] = lambda: None,
    preparation: Preparation | None = None,
) -> PageServer:
    """Return a server for the page; `started` is called when it listens."""
    config = uvicorn.Config(
        create_app(settings, preparation),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws_max_size=settings.limits.message,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=2**15,
    )
    return PageServer(config, started)
