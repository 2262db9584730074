"""A bot on the raw protocol that does everything right: what the broken ones spoil."""

NEIGHBOURS = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]


class Closed(ConnectionError):  # noqa: N818 - no error, but the end
    pass


class Bot:
    """Moves the whole of its largest group to the first neighbour that is empty, or to the first of all."""

    name = b"NME\x05right"

    def __init__(self, server):
        self.server = server
        self.rows = self.columns = self.me = self.turns = 0
        self.home = (0, 0)
        self.board = {}

    # Reading.

    def receive(self, size):
        data = b""
        while len(data) < size:
            piece = self.server.recv(size - len(data))
            if not piece:
                raise Closed
            data += piece
        return data

    def receive_cells(self):
        data = self.receive(self.receive(1)[0] * 5)
        rows = [data[at : at + 5] for at in range(0, len(data), 5)]
        return {(x, y): (humans, vampires, werewolves) for x, y, humans, vampires, werewolves in rows}

    # Speaking.

    def run(self):
        self.server.sendall(self.name)
        while self.hear(self.receive(3).decode()):
            pass

    def hear(self, command):
        """Take a packet; whether to go on."""
        if command == "SET":
            self.rows, self.columns = self.receive(2)
            self.board = {}
        elif command == "HUM":
            self.receive(self.receive(1)[0] * 2)
        elif command == "HME":
            self.home = tuple(self.receive(2))
        elif command == "MAP":
            self.board = self.receive_cells()
            self.me = self.species()
            self.mapped()
        elif command == "UPD":
            self.update(self.receive_cells())
            self.turns += 1
            self.answer()
        elif command == "END":
            return self.end()
        elif command == "BYE":
            return self.bye()
        return True

    def mapped(self):
        pass

    def species(self):
        return 1 if self.board[self.home][1] else 2

    def update(self, cells):
        self.board.update(cells)

    def answer(self):
        moves = self.moves()
        self.server.sendall(b"MOV" + bytes([len(moves)]) + b"".join(map(bytes, moves)))

    def moves(self):
        return [self.move()]

    def move(self):
        x, y, count = self.group()
        around = [(x + dx, y + dy) for dx, dy in NEIGHBOURS]
        targets = [(tx, ty) for tx, ty in around if 0 <= tx < self.columns and 0 <= ty < self.rows]
        target = next((cell for cell in targets if not any(self.board.get(cell, ()))), targets[0])
        return (x, y, count, *target)

    def group(self):
        """Our largest."""
        groups = {cell: content[self.me] for cell, content in self.board.items() if content[self.me]}
        x, y = max(groups, key=groups.get)
        return x, y, groups[x, y]

    def end(self):
        return True

    def bye(self):
        return False
