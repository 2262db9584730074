"""Error messages of a server that cannot listen on its port."""

from __future__ import annotations

import errno
import socket

from noctagon.core.game import NoctagonError


def cannot_listen(host: str, port: int, error: OSError) -> NoctagonError:
    """Return the error to raise, in the user's words."""
    if error.errno == errno.EADDRINUSE:
        return NoctagonError(
            f"port {port} is taken: another program listens there; take another one, or 0 for any"
        )
    if error.errno == errno.EACCES:
        return NoctagonError(f"port {port} is not for everybody: take one from 1024 on")
    if error.errno == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return NoctagonError(f"{host} is no address of this machine")
    return NoctagonError(f"cannot listen on {host}:{port}: {error.strerror or error}")
