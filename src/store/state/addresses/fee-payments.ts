import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../../db/client.ts";

/** Type of the first transaction of each Arbitrum block, whose fees go to accounts that no block names (ArbOS). */
const ARBITRUM_INTERNAL_TYPE = 106;

/** Ids of chains, and of their test networks, that change balances without any sign in blocks besides fees. */
const UNFOLLOWED_CHAINS: readonly number[] = [
  // Base fees go to a collector: Gnosis, Polygon (Bor's `burntContract`), Taiko (taiko-geth's `getTreasuryAddress`).
  ...[100, 10_200, 137, 80_002, 167_000, 167_013],
  // A token's transfers move the coin: Celo ("Token duality" of its specification), Arc ("Two interfaces, one balance").
  ...[42_220, 11_142_220, 5_042, 5_042_002],
  // Blocks mint to others than their producer: Energy Web (AuRa's `blockRewardContractAddress` in Nethermind's chains),
  // Kaia (its "Token economy", "Funding Structure"), Flare and Songbird (go-flare's `coreth/core/daemon.go`).
  ...[246, 73_799, 8_217, 1_001, 14, 114, 19, 16],
  // Coins come from another ledger: Avalanche (coreth's `UnsignedImportTx`), HyperEVM (its "HyperCore <> HyperEVM
  // transfers"), Moonbeam, Moonriver and Moonbase (Moonbeam's "Balance Transfers").
  ...[43_114, 43_113, 999, 998, 1_284, 1_285, 1_287],
  // Other accounts than the sender pay for gas: Ronin before it was a rollup (`Payer` in ronin's `core/state_transition.go`).
  ...[2_020, 2_021],
  // Balances grow by themselves: Blast ("Auto Rebasing").
  ...[81_457, 168_587_773],
];

/** Returns whether the index covers all changes of coin balances. Otherwise each request asks the node. */
export function areBalancesFollowed(sql: Queryable): Fragment {
  return sql`(
    SELECT traced AND fees_followed IS NOT FALSE AND chain_id <> ALL(${[...UNFOLLOWED_CHAINS]}::bigint[])
    FROM sync_state)`;
}

/** A block's payment to its miner, whose balance nothing else changes in it. */
export interface FeePayment {
  number: number;
  hash: Hex;
  parentHash: Hex;
  miner: Address;
  /** In wei; not 0. */
  reward: string;
}

/** Returns a block's payment of fees to its miner, or `hidden`; undefined if the block does not show it, or an earlier one did. */
export async function getFeePayment(sql: Queryable, blockNumber: number) {
  const [payment] = await sql<(FeePayment & { hidden: boolean; shows: boolean })[]>`
    SELECT number, hash, parent_hash, miner, reward,
      EXISTS (SELECT FROM transactions_of_block(number) WHERE type = ${ARBITRUM_INTERNAL_TYPE}) AS hidden,
      reward > 0
        AND NOT EXISTS (
          SELECT FROM transactions_of_block(number)
          WHERE miner IN (from_address, to_address, created_contract))
        AND NOT EXISTS (
          SELECT FROM internal_transactions_of_block(number)
          WHERE effective AND miner IN (from_address, to_address, created_contract))
        AND miner NOT IN (SELECT address FROM withdrawals WHERE block_number = ${blockNumber}) AS shows
    FROM blocks, sync_state WHERE number = ${blockNumber} AND fees_followed IS NULL`;
  if (payment?.hidden) return "hidden";
  return payment?.shows ? payment : undefined;
}
