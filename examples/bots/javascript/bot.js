// The smallest complete bot for Vampires vs Werewolves, for Node without any package.
//
//     node bot.js HOST PORT
"use strict";
const net = require("node:net");

const VAMPIRES = 1, WEREWOLVES = 2; // places in a content: [humans, vampires, werewolves]
const EMPTY = [0, 0, 0];
const LARGEST = 255; // what fits into a byte

const [host, port] = process.argv.slice(-2);
const server = net.connect({ host, port: Number(port), noDelay: true });
const pieces = server[Symbol.asyncIterator]();
let arrived = Buffer.alloc(0);

class Closed extends Error {}

// Receive exactly this number of bytes. TCP delivers pieces of any size, so one piece is not enough.
async function receive(size) {
  while (arrived.length < size) {
    const { value, done } = await pieces.next();
    if (done) throw new Closed("the server has closed the connection");
    arrived = Buffer.concat([arrived, value]);
  }
  const bytes = arrived.subarray(0, size);
  arrived = arrived.subarray(size);
  return bytes;
}

// A cell as a number, the key of the board, and back.
const key = (x, y) => y * 256 + x;
const place = (cell) => [cell % 256, Math.floor(cell / 256)];

// Receive the cells of MAP and UPD: n, then n times x, y, humans, vampires, werewolves.
async function receiveCells(board) {
  const [n] = await receive(1);
  const data = await receive(n * 5);
  for (let at = 0; at < data.length; at += 5) {
    const [x, y, ...content] = data.subarray(at, at + 5);
    board.set(key(x, y), content);
  }
}

const distance = ([x, y], [tx, ty]) => Math.max(Math.abs(x - tx), Math.abs(y - ty));

// Return the MOV packet: our whole largest group, one step towards its best prey.
function choose(board, rows, columns, me) {
  let from = null, count = 0;
  for (const [cell, content] of board) if (content[me] > count) [from, count] = [place(cell), content[me]];
  if (count === 0) return Buffer.alloc(0); // we are gone, and nothing is legal

  // Return whether the group can go there without a random battle and without exceeding a byte.
  const safe = (content) => {
    const humans = content[0], mine = content[me], enemies = content[3 - me];
    return humans <= count && 2 * count >= 3 * enemies && count + humans + mine <= LARGEST;
  };

  let goal = from, best = 0;
  for (const [cell, content] of board) {
    const worth = (content[0] + content[3 - me]) / distance(place(cell), from);
    if (!content[me] && safe(content) && worth > best) [goal, best] = [place(cell), worth];
  }

  const [x, y] = from;
  let target = null, least = Infinity;
  for (let ty = Math.max(0, y - 1); ty < Math.min(rows, y + 2); ty++) {
    for (let tx = Math.max(0, x - 1); tx < Math.min(columns, x + 2); tx++) {
      if (tx === x && ty === y) continue;
      const risk = safe(board.get(key(tx, ty)) ?? EMPTY) ? 0 : 1000;
      const cost = risk + distance([tx, ty], goal);
      if (cost < least) [target, least] = [[tx, ty], cost];
    }
  }
  return Buffer.concat([Buffer.from("MOV"), Buffer.from([1, x, y, count, ...target])]);
}

// Follow what the server says, game after game, until BYE.
async function play() {
  const name = Buffer.from("Pico JavaScript");
  server.write(Buffer.concat([Buffer.from("NME"), Buffer.from([name.length]), name]));
  let board = new Map(), rows = 0, columns = 0, home = 0, me = VAMPIRES;
  for (;;) {
    const command = (await receive(3)).toString("latin1");
    if (command === "SET") { // a new game: forget the last one
      [rows, columns] = await receive(2);
      board = new Map();
    } else if (command === "HUM") { // where the houses are; MAP repeats it, with the humans
      const [n] = await receive(1);
      await receive(n * 2);
    } else if (command === "HME") {
      home = key(...await receive(2));
    } else if (command === "MAP") { // the species on our home cell is ours
      await receiveCells(board);
      me = board.get(home)[VAMPIRES] ? VAMPIRES : WEREWOLVES;
    } else if (command === "UPD") { // what has changed; and it is our turn
      await receiveCells(board);
      server.write(choose(board, rows, columns, me));
    } else if (command === "BYE") {
      return;
    } else if (command !== "END") { // END: another game may follow
      throw new Error(`the server sent ${JSON.stringify(command)}`);
    }
  }
}

play().catch((error) => {
  if (error instanceof Closed || error.code === "ECONNRESET" || error.code === "EPIPE") return;
  console.error(error.message); // a closed connection ends us as well; anything else is reported
  process.exitCode = 1;
}).finally(() => server.destroy());
