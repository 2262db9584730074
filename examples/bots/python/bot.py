"""The smallest complete bot for Vampires vs Werewolves, with nothing but the standard library.

python3 bot.py HOST PORT
"""

import contextlib
import socket
import sys

Cell = tuple[int, int]
Content = tuple[int, int, int]  # humans, vampires, werewolves
VAMPIRES, WEREWOLVES = 1, 2  # places in a content
LARGEST = 255  # what fits into a byte


def receive(server: socket.socket, size: int) -> bytes:
    """Receive exactly `size` bytes. TCP delivers pieces of any size, so one recv is not enough."""
    data = b""
    while len(data) < size:
        piece = server.recv(size - len(data))
        if not piece:
            raise EOFError("the server has closed the connection")
        data += piece
    return data


def receive_cells(server: socket.socket) -> dict[Cell, Content]:
    """Receive the cells of MAP and UPD: n, then n times x, y, humans, vampires, werewolves."""
    data = receive(server, receive(server, 1)[0] * 5)
    rows = (data[at : at + 5] for at in range(0, len(data), 5))
    return {(x, y): (humans, vampires, werewolves) for x, y, humans, vampires, werewolves in rows}


def distance(a: Cell, b: Cell) -> int:
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def choose(board: dict[Cell, Content], rows: int, columns: int, me: int) -> bytes:
    """Return the MOV packet: our whole largest group, one step towards its best prey."""
    groups = {cell: content[me] for cell, content in board.items() if content[me]}
    if not groups:
        return b""  # we are gone, and nothing is legal
    x, y = max(groups, key=lambda cell: groups[cell])
    count = groups[x, y]

    def safe(cell: Cell) -> bool:
        """Return True if the group can go there without a random battle and without exceeding a byte."""
        content = board.get(cell, (0, 0, 0))
        humans, mine, enemies = content[0], content[me], content[3 - me]
        return humans <= count and 2 * count >= 3 * enemies and count + humans + mine <= LARGEST

    prey = [cell for cell, content in board.items() if any(content) and not content[me] and safe(cell)]
    goal = max(prey, key=lambda cell: sum(board[cell]) / distance(cell, (x, y)), default=(x, y))
    steps = [
        (tx, ty)
        for ty in range(max(0, y - 1), min(rows, y + 2))
        for tx in range(max(0, x - 1), min(columns, x + 2))
        if (tx, ty) != (x, y)
    ]
    target = min(steps, key=lambda cell: (not safe(cell), distance(cell, goal)))
    return b"MOV" + bytes([1, x, y, count, *target])


def play(server: socket.socket) -> None:
    """Follow what the server says, game after game, until BYE."""
    name = b"Pico Python"
    server.sendall(b"NME" + bytes([len(name)]) + name)
    board: dict[Cell, Content] = {}
    rows = columns = 0
    home = (0, 0)
    me = VAMPIRES
    while True:
        command = receive(server, 3)
        if command == b"SET":  # a new game: forget the last one
            rows, columns = receive(server, 2)
            board = {}
        elif command == b"HUM":  # where the houses are; MAP repeats it, with the humans
            receive(server, receive(server, 1)[0] * 2)
        elif command == b"HME":
            x, y = receive(server, 2)
            home = (x, y)
        elif command == b"MAP":  # the species on our home cell is ours
            board = receive_cells(server)
            me = VAMPIRES if board[home][VAMPIRES] else WEREWOLVES
        elif command == b"UPD":  # what has changed; and it is our turn
            board.update(receive_cells(server))
            server.sendall(choose(board, rows, columns, me))
        elif command == b"BYE":
            return
        elif command != b"END":  # END: another game may follow
            raise ValueError(f"the server sent {command!r}")


def main() -> None:
    host, port = sys.argv[-2], int(sys.argv[-1])
    with socket.create_connection((host, port)) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(EOFError, ConnectionError):  # a closed connection ends us as well
            play(server)


if __name__ == "__main__":
    main()
