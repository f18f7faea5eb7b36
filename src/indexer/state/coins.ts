import { randomBytes } from "node:crypto";
import { ZERO_ADDRESS } from "../../core/evm/address.ts";
import { isContractCode } from "../../core/evm/contract-code.ts";
import { type Hex, hexFromBytes } from "../../core/evm/hex.ts";
import { listCoinBalancesFrom } from "../../store/state/addresses/coin-balances.ts";
import {
  applyAddresses,
  type CoinBalance,
  type CoinToRead,
  forgetCoinBalances,
  listPendingCoins,
  listTouchedCoins,
  revertAddresses,
  selectPendingCoins,
  writeCoinBalances,
} from "../../store/state/addresses/state.ts";
import type { StateFamily } from "./family.ts";

/** Addresses with their coin balances and the coin supply. */
export const coins: StateFamily<CoinToRead, CoinBalance> = {
  name: "coins",
  tables: ["addresses", "coin_supply"],
  apply: applyAddresses,
  revert: revertAddresses,
  reading: {
    listTouched: listTouchedCoins,
    listPending: (sql, _scope, limit) => listPendingCoins(sql, limit),
    selectPending: selectPendingCoins,
    write: writeCoinBalances,
    async fetch(chain, keys, block, ask) {
      const addresses = keys.map(({ address }) => address);
      const withCode = keys.filter((key) => key.withCode).map(({ address }) => address);
      const [balances, codes] = await Promise.all([
        chain.fetchCoinBalances(addresses, block, ask),
        chain.fetchCodes(withCode, block, ask),
      ]);
      const isContract = new Map(
        withCode.map((address, index) => [address, isContractCode(codes[index] as Hex)]),
      );
      const rows = addresses.map((address, index) => ({
        address,
        balanceWei: balances[index] as bigint,
        isContract: isContract.get(address) ?? null,
      }));
      return { rows, unanswered: [] };
    },
  },
  async audit({ sql, chain, head, sample, ask }) {
    const found = await listCoinBalancesFrom(sql, hexFromBytes(randomBytes(20)), sample);
    const stored = found.length > 0 ? found : await listCoinBalancesFrom(sql, ZERO_ADDRESS, sample);
    const addresses = stored.map(({ address }) => address);
    const balances = await chain.fetchCoinBalances(addresses, head, ask);
    const differences = stored.flatMap(({ address, balance }, index) => {
      const says = balances[index];
      return says === BigInt(balance)
        ? []
        : [`the balance of ${address} at block ${head.number}: ${balance}, the node says ${says}`];
    });
    const differing = addresses.filter(
      (_, index) => balances[index] !== BigInt(stored[index]?.balance ?? 0),
    );
    return {
      checked: stored.length,
      differences,
      mend: (transaction) => forgetCoinBalances(transaction, differing),
    };
  },
};
