import { wordOfAddress } from "../../../src/core/evm/address.ts";
import { ScriptedChain } from "../scripted-node/chain.ts";
import { SYSTEM, TRANSFER, word } from "../scripted-node/ledger.ts";
import type { BlockSpecification } from "../scripted-node/specification.ts";
import { blockOfRelease } from "./chain.ts";

// A chain that logs each transfer of the coin (EIP-7708). An older index recorded the logs as a
// token's; `fixtures/releases/coin-logs.json.gz` has its content. The chain never changes, as that
// of all releases.

const HEIGHT = 40;

/** Returns a block as of a release, with the logs of its transfers of the coin. */
export function blockWithCoinLogs(number: number): BlockSpecification {
  const { transactions = [], ...block } = blockOfRelease(number);
  return {
    ...block,
    transactions: transactions.map((transaction) => {
      const { from, to, valueWei, logs = [] } = transaction;
      if (!from || !to || !valueWei) return transaction;
      const topics = [TRANSFER, wordOfAddress(from), wordOfAddress(to)];
      return { ...transaction, logs: [{ address: SYSTEM, topics, data: word(valueWei) }, ...logs] };
    }),
  };
}

/** Returns the chain that was indexed. */
export function coinLogChain(): ScriptedChain {
  const chain = new ScriptedChain();
  for (let number = 1; number <= HEIGHT; number++) chain.mine(blockWithCoinLogs(number));
  return chain;
}
