import { setImmediate as nextTurn } from "node:timers/promises";

const MOST_TURNS = 1000;

let connections = 0;

/** To be called with each new connection of a server. */
export function noteConnection(): void {
  connections++;
}

/**
 * Resolves in the first turn of the event loop that brings no new connection; for between two pieces of long work. Node
 * accepts one connection a turn: with long work in every turn, a new client waits once for each client in front of it.
 */
export async function calmTurn(): Promise<void> {
  await nextTurn();
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const before = connections;
    await nextTurn();
    if (connections === before) return;
  }
}
