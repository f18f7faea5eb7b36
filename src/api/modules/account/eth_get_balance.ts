import { z } from "zod";
import type { BlockReference } from "../../../chain/chain.ts";
import type { Address } from "../../../core/address.ts";
import { ChainError } from "../../../core/errors.ts";
import { quantity } from "../../../core/quantity.ts";
import { getBlockReference } from "../../../store/blocks.ts";
import { listCoinAccounts } from "../../../store/coin-balances.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { readCoinAccounts } from "../../live/coin-balances.ts";
import { address, text } from "../../params.ts";
import { atServedHead } from "../../served-head.ts";
import * as wire from "../../wire.ts";
import { ADDRESS_HASH } from "./list.ts";

const INVALID_BLOCK = "Invalid block";
const unknown = failed("Balance not found", { httpStatus: 404 });

const NEWEST = Number.POSITIVE_INFINITY;

const block = text({ invalid: INVALID_BLOCK })
  .regex(/^(?:latest|earliest|pending|[+-]?\d+)$/, INVALID_BLOCK)
  .transform((value) => {
    if (value === "earliest") return 0;
    return value === "latest" || value === "pending" ? NEWEST : Number(value);
  });

export const ethGetBalance = defineAction({
  name: "eth_get_balance",
  summary: "Coin balance of an indexed address as a hex quantity, now or after a block",
  envelope: "json-rpc",
  id: 0,
  params: z.object({ block: block.optional(), address: address(ADDRESS_HASH) }),
  result: wire.quantity,
  example: { address: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266" },
  refuse: (complaint) => failed(complaint, { httpStatus: 400 }),
  async handle(context, input) {
    const { address: account, block: blockNumber = NEWEST } = input;
    const [stored] = await listCoinAccounts(context.sql, [account]);
    if (!stored?.known || blockNumber < 0) return unknown;
    const wei = await balanceAt(context, account, blockNumber);
    return wei === undefined ? unknown : ok(quantity(wei));
  },
});

/** In wei; undefined where the node keeps no state of that time. */
async function balanceAt(
  context: Context,
  account: Address,
  blockNumber: number,
): Promise<bigint | undefined> {
  const { sql, chain } = context;
  return atServedHead(sql, async (head) => {
    if (blockNumber >= head.number) {
      const [now] = await readCoinAccounts(context, (state) => listCoinAccounts(state, [account]));
      return BigInt(now?.balance ?? 0);
    }
    const reference = await referenceOf(context, blockNumber);
    if (!reference) return undefined;
    try {
      const [wei] = await chain.fetchCoinBalances([account], reference);
      return wei;
    } catch (error) {
      if (error instanceof ChainError && error.code === "state-unavailable") return undefined;
      throw error;
    }
  });
}

/** The block of a number at or below the head, also one before the first that is indexed. */
async function referenceOf(
  { sql, chain }: Context,
  blockNumber: number,
): Promise<BlockReference | null> {
  return (await getBlockReference(sql, blockNumber)) ?? (await chain.fetchHeader(blockNumber));
}
