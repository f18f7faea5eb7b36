import { setImmediate as nextTurn } from "node:timers/promises";

const MOST_TURNS = 1000;

let connections = 0;

/** Records a new connection of a server. */
export function noteConnection(): void {
  connections++;
}

/** Resolves in a turn of the event loop without a new connection. Node accepts one per turn: long work in each would delay clients. */
export async function calmTurn(): Promise<void> {
  await nextTurn();
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const before = connections;
    await nextTurn();
    if (connections === before) return;
  }
}
