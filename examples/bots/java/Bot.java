// The smallest complete bot for Vampires vs Werewolves, for Java 11 and later.
//
//     java Bot.java HOST PORT        or, to start faster:  javac Bot.java && java Bot HOST PORT

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;

public class Bot {
    static final int HUMANS = 0, VAMPIRES = 1, WEREWOLVES = 2; // places in a content
    static final int LARGEST = 255; // what fits into a byte

    final DataInputStream in; // its read methods wait until all bytes have arrived, as TCP does not
    final OutputStream out;
    int[][][] board = new int[256][256][3]; // by row y, column x, kind
    int rows, columns, me;

    Bot(Socket server) throws IOException {
        in = new DataInputStream(new BufferedInputStream(server.getInputStream()));
        out = server.getOutputStream();
    }

    /** Receive the next byte as 0 to 255: Java's own byte is signed. */
    int number() throws IOException {
        return in.readUnsignedByte();
    }

    /** Receive the cells of MAP and UPD: n, then n times x, y, humans, vampires, werewolves. */
    void receiveCells() throws IOException {
        for (int n = number(); n > 0; n--) {
            int x = number(), y = number();
            board[y][x] = new int[] {number(), number(), number()};
        }
    }

    static int distance(int x, int y, int tx, int ty) {
        return Math.max(Math.abs(x - tx), Math.abs(y - ty));
    }

    /** Return whether `count` of us can go there without a random battle and without exceeding a byte. */
    boolean safe(int[] cell, int count) {
        boolean winning = cell[HUMANS] <= count && 2 * count >= 3 * cell[3 - me];
        return winning && count + cell[HUMANS] + cell[me] <= LARGEST;
    }

    /** Send MOV: our whole largest group, one step towards its best prey. */
    void choose() throws IOException {
        int x = 0, y = 0, count = 0;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
                if (board[i][j][me] > count) { x = j; y = i; count = board[i][j][me]; }
        if (count == 0) return; // we are gone, and nothing is legal

        int goalX = x, goalY = y, targetX = x, targetY = y, least = Integer.MAX_VALUE;
        double best = 0;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int[] cell = board[i][j];
                double prey = cell[HUMANS] + cell[3 - me], worth = prey / distance(x, y, j, i);
                if (prey > 0 && safe(cell, count) && worth > best) { goalX = j; goalY = i; best = worth; }
            }
        for (int ty = Math.max(0, y - 1); ty < Math.min(rows, y + 2); ty++)
            for (int tx = Math.max(0, x - 1); tx < Math.min(columns, x + 2); tx++) {
                if (tx == x && ty == y) continue;
                int cost = distance(tx, ty, goalX, goalY) + (safe(board[ty][tx], count) ? 0 : 1000);
                if (cost < least) { targetX = tx; targetY = ty; least = cost; }
            }
        byte[] packet = {'M', 'O', 'V', 1, (byte) x, (byte) y, (byte) count, (byte) targetX, (byte) targetY};
        out.write(packet);
    }

    /** Follow what the server says, game after game, until BYE. */
    void play() throws IOException {
        String name = "Pico Java";
        out.write(("NME" + (char) name.length() + name).getBytes("US-ASCII"));
        int homeX = 0, homeY = 0;
        while (true) {
            byte[] command = new byte[3];
            in.readFully(command);
            switch (new String(command, "US-ASCII")) {
                case "SET": // a new game: forget the last one
                    rows = number(); columns = number(); board = new int[256][256][3]; break;
                case "HUM": // where the houses are; MAP repeats it, with the humans
                    for (int n = number(); n > 0; n--) { number(); number(); }
                    break;
                case "HME": homeX = number(); homeY = number(); break;
                case "MAP": // the species on our home cell is ours
                    receiveCells(); me = board[homeY][homeX][VAMPIRES] > 0 ? VAMPIRES : WEREWOLVES; break;
                case "UPD": receiveCells(); choose(); break; // what has changed; and it is our turn
                case "END": break; // another game may follow
                case "BYE": return;
                default: throw new IOException("the server sent " + new String(command, "US-ASCII"));
            }
        }
    }

    public static void main(String[] words) throws IOException {
        String host = words[words.length - 2];
        int port = Integer.parseInt(words[words.length - 1]);
        Socket server = new Socket(host, port);
        server.setTcpNoDelay(true);
        try (server) {
            new Bot(server).play();
        } catch (EOFException | SocketException closed) {
            return; // a closed connection ends us as well
        }
    }
}
