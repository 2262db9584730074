/* The smallest complete bot for Vampires vs Werewolves, with POSIX sockets.
 *
 *     cc bot.c -o bot && ./bot HOST PORT
 */
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HUMANS, VAMPIRES, WEREWOLVES }; /* places in a content */
typedef unsigned char byte;            /* unsigned: counts and coordinates go up to 255 */

static int server, rows, columns, me;
static byte command[4], board[256][256][3]; /* the board by row y, column x, kind */

/* Receive exactly this number of bytes. TCP delivers pieces of any size, so one read is not enough. */
static void receive(byte *data, int size)
{
    for (int got = 0; got < size;) {
        ssize_t piece = read(server, data + got, size - got);
        if (piece <= 0)
            exit(0); /* the server has closed the connection, which ends us as well */
        got += piece;
    }
}

/* Receive the cells of MAP and UPD: n, then n times x, y, humans, vampires, werewolves. */
static void receive_cells(void)
{
    byte n, cell[5];
    for (receive(&n, 1); n > 0; n--) {
        receive(cell, 5);
        memcpy(board[cell[1]][cell[0]], cell + 2, 3);
    }
}

static int is(const char *name) { return strcmp((char *)command, name) == 0; }

static int distance(int x, int y, int tx, int ty)
{
    int across = abs(x - tx), down = abs(y - ty);
    return across > down ? across : down;
}

/* Return whether `count` of us can go there without a random battle and without exceeding a byte. */
static int safe(const byte *cell, int count)
{
    return cell[HUMANS] <= count && 2 * count >= 3 * cell[3 - me] && count + cell[HUMANS] + cell[me] <= 255;
}

/* Send MOV: our whole largest group, one step towards its best prey. */
static void choose(void)
{
    int x = 0, y = 0, count = 0;
    for (int i = 0; i < rows * columns; i++)
        if (board[i / columns][i % columns][me] > count)
            x = i % columns, y = i / columns, count = board[y][x][me];
    if (count == 0)
        return; /* we are gone, and nothing is legal */

    int goal_x = x, goal_y = y, target_x = x, target_y = y, least = 1 << 20;
    double best = 0;
    for (int i = 0; i < rows * columns; i++) {
        const byte *cell = board[i / columns][i % columns];
        double prey = cell[HUMANS] + cell[3 - me], away = distance(x, y, i % columns, i / columns);
        if (prey > 0 && safe(cell, count) && prey / away > best)
            goal_x = i % columns, goal_y = i / columns, best = prey / away;
    }
    for (int ty = y - 1; ty <= y + 1; ty++)
        for (int tx = x - 1; tx <= x + 1; tx++) {
            if ((tx == x && ty == y) || tx < 0 || ty < 0 || tx >= columns || ty >= rows)
                continue;
            int cost = distance(tx, ty, goal_x, goal_y) + (safe(board[ty][tx], count) ? 0 : 1000);
            if (cost < least)
                target_x = tx, target_y = ty, least = cost;
        }
    byte packet[] = {'M', 'O', 'V', 1, x, y, count, target_x, target_y};
    if (write(server, packet, sizeof packet) < 0)
        exit(0);
}

int main(int argc, char **argv)
{
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    if (argc < 3 || getaddrinfo(argv[argc - 2], argv[argc - 1], &wanted, &found))
        return fprintf(stderr, "usage: bot HOST PORT\n"), 2;
    for (server = -1; found && server < 0; found = found->ai_next) { /* a name may have several addresses */
        server = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
        if (connect(server, found->ai_addr, found->ai_addrlen) < 0)
            close(server), server = -1;
    }
    signal(SIGPIPE, SIG_IGN);
    if (server < 0 || write(server, "NME\6Pico C", 10) < 0)
        return fprintf(stderr, "no connection\n"), 1;

    byte two[2], home[2] = {0, 0}, n;
    for (;;) { /* follow what the server says, game after game, until BYE */
        receive(command, 3);
        if (is("SET")) { /* a new game: forget the last one */
            receive(two, 2), rows = two[0], columns = two[1];
            memset(board, 0, sizeof board);
        } else if (is("HUM")) { /* where the houses are; MAP repeats it, with the humans */
            for (receive(&n, 1); n > 0; n--)
                receive(two, 2);
        } else if (is("HME")) {
            receive(home, 2);
        } else if (is("MAP")) { /* the species on our home cell is ours */
            receive_cells(), me = board[home[1]][home[0]][VAMPIRES] ? VAMPIRES : WEREWOLVES;
        } else if (is("UPD")) { /* what has changed; and it is our turn */
            receive_cells(), choose();
        } else if (!is("END")) { /* END: another game may follow; BYE: none */
            return is("BYE") ? 0 : (fprintf(stderr, "the server sent %s\n", command), 1);
        }
    }
}
