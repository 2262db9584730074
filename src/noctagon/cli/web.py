"""`noctagon web`: the page on which games are watched, played, replayed and explained."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable

    from noctagon.web.context import Context
    from noctagon.web.settings import Settings
    from noctagon.wire.server import TableServer

    Show = Callable[[TableServer], Callable[[str], None]]
    """Shows a server on the page; returns a function that takes the reason why the server is over."""

HERE = "noctagon.db"
"""Name of the store in a folder if none is given."""
LOCAL = "127.0.0.1"
"""The address that only this machine can reach."""


def web(
    host: Annotated[
        str, typer.Option(help="The address to listen on; by default only this machine can connect.")
    ] = LOCAL,
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

    from noctagon.web.page_server import server

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


@asynccontextmanager
async def page_beside(port: int) -> AsyncIterator[Show]:
    """Run the page beside a server of the terminal, in the same process; yield the function that shows it there."""
    import asyncio
    import contextlib
    import sys

    from noctagon.core.game import NoctagonError
    from noctagon.web.page_server import server
    from noctagon.web.settings import Settings

    try:
        listening = listen(LOCAL, port)
    except NoctagonError as error:
        raise NoctagonError(str(error).replace("--port", "--web-port")) from error
    settings = Settings(host=LOCAL, port=listening.getsockname()[1], store=find_store(""), later_store=HERE)
    started = asyncio.Event()
    serving = server(settings, started=started.set)
    serving.capture_signals = contextlib.nullcontext  # type: ignore[assignment,method-assign] # Ctrl-C is for us
    task = asyncio.create_task(serving.serve([listening]))
    waiting = asyncio.ensure_future(started.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done():
        task.result()
        raise NoctagonError("the page could not be started")
    context: Context = serving.config.app.state.context  # type: ignore[union-attr] # made by `create_app`
    print(
        f"noctagon: the page is at {address(settings)}#/servers ; Ctrl-C stops", file=sys.stderr, flush=True
    )

    def show(shown: TableServer) -> Callable[[str], None]:
        served = context.servers.adopt(shown)

        def over(why: str) -> None:
            served.over = why

        return over

    try:
        yield show
    finally:
        serving.should_exit = True
        await asyncio.wait([task])
        listening.close()
