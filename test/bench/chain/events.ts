import { type Address, wordOfAddress } from "../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import type { Random } from "../../support/world/random.ts";
import type { Accounts } from "./accounts.ts";
import { randomBytes, skewed, word } from "./draws.ts";
import type { LogBody } from "./tokens.ts";

/** Events that move no token, by how often they occur: parties among the topics, words of data. */
const EVENTS = [
  { parties: 2, words: 1 }, // Approval
  { parties: 2, words: 5 }, // Swap
  { parties: 0, words: 2 }, // Sync
  { parties: 1, words: 1 }, // Deposit
  { parties: 3, words: 0 }, // Executed
] as const;

/** Gives a function that draws an event of one of the contracts, none of them a token transfer. */
export function createEvents(
  random: Random,
  accounts: Accounts,
  contracts: readonly Address[],
): () => LogBody {
  const topics = EVENTS.map(() => randomBytes(random, 32));
  return () => {
    const index = skewed(random, EVENTS.length);
    const { parties, words } = EVENTS[index] as (typeof EVENTS)[number];
    const others = Array.from({ length: parties }, () =>
      wordOfAddress(accounts.address(accounts.draw())),
    );
    return {
      address: contracts[skewed(random, contracts.length)] as Address,
      topics: [topics[index] as Hex, ...others],
      data: hexConcat(...Array.from({ length: words }, () => word(random.integer(2 ** 32)))),
    };
  };
}
