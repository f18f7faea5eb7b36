import { z } from "zod";
import { quantity } from "../../../../../core/evm/quantity.ts";
import { defineAction } from "../../../action.ts";
import { failed, ok } from "../../../envelope.ts";
import { readBalanceAt } from "../../../from-node/coin-balances.ts";
import { address, text } from "../../../params.ts";
import * as wire from "../../../wire.ts";
import { ADDRESS_HASH } from "../list.ts";

const INVALID_BLOCK = "Invalid block";
const unknown = failed("not-found", "Balance not found", { httpStatus: 404 });

const NEWEST = Number.POSITIVE_INFINITY;

const block = text({ invalid: INVALID_BLOCK })
  .regex(/^(?:latest|earliest|pending|[+-]?\d+)$/, INVALID_BLOCK)
  .transform((value) => {
    if (value === "earliest") return 0;
    return value === "latest" || value === "pending" ? NEWEST : Number(value);
  })
  .describe("Number of a block, `latest`, `earliest` or `pending`; the newest when absent");

export const ethGetBalance = defineAction({
  name: "eth_get_balance",
  summary: "Coin balance of an indexed address as a hex quantity, now or after a block",
  envelope: "json-rpc",
  id: 0,
  params: z.object({ block: block.optional(), address: address(ADDRESS_HASH) }),
  result: wire.quantity,
  example: { address: "0x976ea74026e726554db657fa54763abd0c3a0aa9" },
  refuse: () => ({ httpStatus: 400 }),
  async handle(context, input) {
    const { address: account, block: blockNumber = NEWEST } = input;
    if (blockNumber < 0) return unknown;
    const wei = await readBalanceAt(context, account, blockNumber, { onlyKnown: true });
    return wei === undefined ? unknown : ok(quantity(wei));
  },
});
