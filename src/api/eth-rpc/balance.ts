import { isAddress, lowerAddress } from "../../core/address.ts";
import { parseInteger } from "../../core/decimal.ts";
import { ChainError } from "../../core/errors.ts";
import { isQuantity, quantity, quantityToBigInt } from "../../core/quantity.ts";
import { getBlockReference } from "../../store/blocks.ts";
import { listCoinAccounts } from "../../store/coin-balances.ts";
import type { Services } from "../action.ts";
import { readCoinAccounts } from "../live/coin-balances.ts";
import { atServedHead } from "../served-head.ts";
import { type IndexMethod, type RpcOutcome, rpcFailure } from "./rpc.ts";

/** Tags whose block only the node knows. */
type NodeTag = "safe" | "finalized";

const NOT_FOUND = rpcFailure("Balance not found");

/** `eth_getBalance`: at the served head from the index, at another block from the node. */
export const getBalance: IndexMethod = {
  parameters: [1, 2],
  async answer(services, [address, block]) {
    if (!isAddress(address)) return rpcFailure("Query parameter 'address' is invalid");
    const at = parseBlock(block);
    if (at === undefined) return rpcFailure("Query parameter 'block' is invalid");
    const account = lowerAddress(address);
    if (at === "head") return currentBalance(services, account);
    if (typeof at === "string") return balanceAtTag(services, account, at);
    return balanceAtBlock(services, account, at);
  },
};

/** Number of a block, `head` for the served one; undefined for what is no block. */
function parseBlock(block: unknown): bigint | "head" | NodeTag | undefined {
  if (block === undefined || block === null || block === "latest" || block === "pending") {
    return "head";
  }
  if (block === "earliest") return 0n;
  if (block === "safe" || block === "finalized") return block;
  if (isQuantity(block)) return quantityToBigInt(block);
  if (typeof block === "number" && Number.isSafeInteger(block) && block >= 0) return BigInt(block);
  const number = typeof block === "string" ? parseInteger(block) : undefined;
  return number !== undefined && number >= 0n ? number : undefined;
}

async function currentBalance(services: Services, address: `0x${string}`): Promise<RpcOutcome> {
  const [account] = await readCoinAccounts(services, (sql) => listCoinAccounts(sql, [address]));
  return account ? { result: quantity(account.balance) } : NOT_FOUND;
}

async function balanceAtBlock(
  services: Services,
  address: `0x${string}`,
  number: bigint,
): Promise<RpcOutcome> {
  const { sql, chain } = services;
  return atServedHead(sql, async (head) => {
    if (number >= head.number) return currentBalance(services, address);
    const block = await getBlockReference(sql, Number(number));
    if (!block) return NOT_FOUND;
    try {
      const [balance] = await chain.fetchCoinBalances([address], block);
      return balance === undefined ? NOT_FOUND : { result: quantity(balance) };
    } catch (error) {
      if (error instanceof ChainError && error.code === "state-unavailable") return NOT_FOUND;
      throw error;
    }
  });
}

async function balanceAtTag(
  { chain }: Services,
  address: `0x${string}`,
  tag: NodeTag,
): Promise<RpcOutcome> {
  const [answer] = await chain.forward([{ method: "eth_getBalance", params: [address, tag] }]);
  return answer && "result" in answer && isQuantity(answer.result) ? answer : NOT_FOUND;
}
