import type { AskOptions } from "../../chain/chain.ts";
import type { Context } from "../action.ts";

/** What reads of contracts need: anybody may have written a contract that keeps the node busy, and may have it read. */
export type Asking = Pick<Context, "chain" | "client" | "signal">;

/** Has the node run contracts in the name of whoever asks, and no longer than the answer is waited for. */
export function askerOf({ client, signal }: Asking): AskOptions {
  return { caller: client, signal };
}
