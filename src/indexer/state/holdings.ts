import {
  applyTokenBalances,
  countPendingHoldings,
  type HoldingAmount,
  type HoldingToRead,
  listPendingHoldings,
  listTouchedHoldings,
  revertTokenBalances,
  writeHoldings,
} from "../../store/token-balances/state.ts";
import type { StateFamily } from "./family.ts";

/** What owners hold of tokens. Keeps the holder counts of the tokens, so it comes after `tokens`. */
export const holdings: StateFamily<HoldingToRead, HoldingAmount> = {
  name: "holdings",
  tables: ["token_balances", "token_id_balances"],
  apply: applyTokenBalances,
  revert: revertTokenBalances,
  reading: {
    contractOf: ({ token }) => token,
    listTouched: listTouchedHoldings,
    listPending: listPendingHoldings,
    countPending: countPendingHoldings,
    write: writeHoldings,
    async fetch(chain, keys, block, ask) {
      const questions = keys.map(({ token, owner, tokenId }) =>
        tokenId === null ? { token, owner } : { token, owner, id: BigInt(tokenId) },
      );
      const amounts = await chain.fetchTokenBalances(questions, block, ask);
      const rows = keys.map((key, index) => ({ ...key, amount: amounts[index] }));
      return {
        rows: rows.filter((row): row is HoldingAmount => row.amount !== undefined),
        unanswered: rows.filter(({ amount }) => amount === undefined).map(({ token }) => token),
      };
    },
  },
};
