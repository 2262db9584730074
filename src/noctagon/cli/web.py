"""`noctagon web`: the page on which games are watched, played, replayed and explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import socket

    from noctagon.web.settings import Settings


HERE = "noctagon.db"
"""Name of the store in a folder if none is given."""


def web(
    host: Annotated[
        str, typer.Option(help="The address to listen on; by default only this machine can connect.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8642,
    store: Annotated[
        str,
        typer.Option(
            metavar="FILE|URL",
            help="Keep finished games here. [noctagon.db as soon as there is one]",
            show_default=False,
        ),
    ] = "",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    token: Annotated[
        str,
        typer.Option(
            help="Only who knows it comes in. [made up where other machines can connect]", show_default=False
        ),
    ] = "",
) -> None:
    """Open the page: watch a game, play one, replay and analyse, run tables and tournaments.

    Nothing is loaded from elsewhere, and only this machine can connect unless --host says otherwise.
    """
    import secrets

    from noctagon.web.settings import Settings, is_loopback

    if not token and not is_loopback(host):
        token = secrets.token_urlsafe(16)
    kept = find_store(store)
    if kept is not None:
        check_store(kept)
    listening = listen(host, port)
    settings = Settings(host=host, port=listening.getsockname()[1], token=token, store=kept, later_store=HERE)
    run(settings, listening, browser=browser)


def find_store(given: str) -> str | None:
    """Return the named store, else that of this folder if there is one."""
    from pathlib import Path

    return given or (HERE if Path(HERE).is_file() else None)


def check_store(where: str) -> None:
    """Raise an error for a store that cannot be used now, rather than after the first game."""
    from noctagon.arena.store.store import Store

    Store.open(where).close()


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise `NoctagonError` if there cannot be one."""
    import socket

    from noctagon.core.game import NoctagonError
    from noctagon.processes.ports import cannot_listen

    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise NoctagonError(f"--host {host}: {error.strerror or error}") from error
    try:
        if hasattr(socket, "SO_REUSEADDR") and not hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise cannot_listen(host, port, error) from error
    return listening


def address(settings: Settings) -> str:
    """Return the link to the page, with the token if it needs one."""
    host = reachable() if settings.host in ("0.0.0.0", "::") else settings.host
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")


def reachable() -> str:
    """Return the address under which other machines probably find this one; nothing is sent to learn it."""
    import contextlib
    import socket

    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return "localhost"


def run(settings: Settings, listening: socket.socket, *, browser: bool) -> None:
    """Serve the page until Ctrl-C; then end everything that was started."""
    import asyncio
    import contextlib
    import signal
    import sys

    from noctagon.web.preparing import prepare
    from noctagon.web.serving import server

    prepare()
    where = address(settings)

    def started() -> None:
        print(f"noctagon: the page is at {where} ; Ctrl-C stops", file=sys.stderr, flush=True)
        if not settings.is_local:
            print("noctagon: other machines can connect; anybody with the link comes in", file=sys.stderr)
        if browser:
            import threading
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(where,), daemon=True).start()

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without it
    serving = server(settings, started=started)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serving.serve([listening]))
    if serving.failure is not None:
        raise serving.failure
    print("noctagon: stopped", file=sys.stderr)
