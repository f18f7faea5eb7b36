import type { TokenBalanceQuery } from "../../chain/questions.ts";
import { listStoredHoldings } from "../../store/state/token-balances/holdings.ts";
import {
  type HoldingAmount,
  type HoldingToRead,
  listPendingHoldings,
  listTouchedHoldings,
  selectPendingHoldings,
  writeHoldings,
} from "../../store/state/token-balances/readings.ts";
import { applyTokenBalances, revertTokenBalances } from "../../store/state/token-balances/state.ts";
import { addUnmoved, listSampledHoldings, markTokens } from "../../store/state/tokens/marks.ts";
import type { StateFamily } from "./family.ts";

/** Owners' token holdings. Maintains the holder counts of the tokens, so it comes after `tokens`. */
export const holdings: StateFamily<HoldingToRead, HoldingAmount> = {
  name: "holdings",
  tables: ["token_balances", "token_id_balances"],
  apply: applyTokenBalances,
  revert: revertTokenBalances,
  reading: {
    contractOf: ({ token }) => token,
    listTouched: listTouchedHoldings,
    listPending: listPendingHoldings,
    listSampled: async (sql, contracts) =>
      (await listSampledHoldings(sql, contracts)).map((key) => ({ ...key, addsUp: true })),
    addSampled: (sql, rows) =>
      addUnmoved(
        sql,
        rows.filter(({ amount }) => amount),
      ),
    selectPending: selectPendingHoldings,
    write: writeHoldings,
    async fetch(chain, keys, block, ask) {
      const amounts = await chain.fetchTokenBalances(keys.map(toQuery), block, ask);
      const rows = keys.map((key, index) => ({ ...key, amount: amounts[index] }));
      return {
        rows: rows.filter((row): row is HoldingAmount => row.amount !== undefined),
        unanswered: rows.filter(({ amount }) => amount === undefined).map(({ token }) => token),
      };
    },
  },
  async audit({ sql, chain, head, sample, ask }) {
    const found = await listStoredHoldings(sql, "random", sample);
    const stored = found.length > 0 ? found : await listStoredHoldings(sql, "first", sample);
    const amounts = await chain.fetchTokenBalances(stored.map(toQuery), head, ask);
    const answered = stored.flatMap((holding, index) => {
      const amount = amounts[index];
      return typeof amount === "bigint" ? [{ ...holding, says: amount }] : [];
    });
    const differing = answered.filter(({ amount, says }) => BigInt(amount) !== says);
    return {
      checked: answered.length,
      differences: differing.map(
        ({ token, owner, tokenId, amount, says }) =>
          `the holding of ${owner} in ${token}${tokenId === null ? "" : ` of id ${tokenId}`} ` +
          `at block ${head.number}: ${amount}, the contract says ${says}; all of it is read again`,
      ),
      mend: (transaction) => {
        const tokens = [...new Set(differing.map(({ token }) => token))];
        return markTokens(transaction, tokens, "audit", head.number);
      },
    };
  },
};

function toQuery({
  token,
  owner,
  tokenId,
}: Pick<HoldingToRead, "token" | "owner" | "tokenId">): TokenBalanceQuery {
  return tokenId === null ? { token, owner } : { token, owner, id: BigInt(tokenId) };
}
