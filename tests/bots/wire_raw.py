"""A small raw-protocol bot for the tests: `wire_raw.py [--after N CRASH] HOST PORT`, moving anything anywhere."""

import random
import socket
import sys
import time

host, port = sys.argv[-2:]
habit = sys.argv[1] if len(sys.argv) > 3 else ""
connection = socket.create_connection((host, int(port)))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def read(size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


connection.sendall(b"NME\x07RawTest")
print("hello from the bot", flush=True)
turns, board, home, me, rows, columns = 0, {}, None, 0, 0, 0
while True:
    command = read(3)
    if command == b"SET":
        rows, columns = read(2)
        board = {}
    elif command == b"HUM":
        read(2 * read(1)[0])
    elif command == b"HME":
        home = tuple(read(2))
    elif command in (b"MAP", b"UPD"):
        for _ in range(read(1)[0]):
            x, y, *held = read(5)
            board[x, y] = held
        if command == b"MAP":
            me = 1 if board[home][1] else 2
            continue
        turns += 1
        if habit == "crash" and turns == 3:
            raise RuntimeError("three is enough")
        if habit == "busy":
            end = time.process_time() + 0.02
            while time.process_time() < end:
                pass
        (x, y), held = random.choice([(cell, held) for cell, held in board.items() if held[me]])
        around = [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
        tx, ty = random.choice([(a, b) for a, b in around if 0 <= a < columns and 0 <= b < rows])
        connection.sendall(b"MOV\x01" + bytes((x, y, held[me], tx, ty)))
        if habit == "ponder":  # thinks on while the other is on move
            end = time.process_time() + 3.0
            while time.process_time() < end:
                pass
    elif command == b"BYE":
        sys.exit(0)
