import { z } from "zod";
import type { RpcCall } from "../../../../chain/options.ts";
import { ChainError } from "../../../../core/errors.ts";
import { isQuantity, quantity } from "../../../../core/evm/quantity.ts";
import type { Queryable } from "../../../../db/client.ts";
import { getBlock, getBlockReference } from "../../../../store/blocks/blocks.ts";
import { getSignedTransactionAt } from "../../../../store/lists/rpc-transactions.ts";
import { findReceipt, findTransaction, presentTransaction } from "../../../eth-rpc/transactions.ts";
import { readHeadNumber } from "../../../reading/snapshot.ts";
import type { Reading } from "../../action.ts";
import { type Outcome, ok } from "../../envelope.ts";
import { createForward } from "../../forwarding.ts";
import * as wire from "../../wire.ts";
import { type BlockTag, boolean, hash, index, tag, tagOrLatest } from "./arguments.ts";
import { defineProxyAction, forward, isUnanswered, outcomeOf } from "./define.ts";

// Methods that the index answers, or whose block it knows.

type JsonObject = Record<string, unknown>;
const jsonObject = z.record(z.string(), z.unknown()).nullable();
/** More than a block holds. */
const MAXIMUM_INDEX = 2 ** 31 - 1;
/** A number that no block has. */
const BEYOND = Number.MAX_SAFE_INTEGER;

export const indexMethods = {
  eth_blockNumber: defineProxyAction({
    summary: "Number of the head that is served",
    params: z.object({}),
    result: wire.quantity,
    example: {},
    servedWhileLoading: true,
    changesWithHead: true,
    async handle({ read }) {
      return ok(quantity(await readHeadNumber(read)));
    },
  }),
  eth_getBlockByNumber: defineProxyAction({
    summary: "A block up to the served head, as the node has it",
    params: z.object({
      tag: tagOrLatest(0),
      boolean: boolean(1).describe("`true`: whole transactions instead of their hashes"),
    }),
    result: jsonObject,
    example: { tag: "0x1", boolean: "true" },
    async handle(context, { tag, boolean: isWhole }) {
      const byNumber = { method: "eth_getBlockByNumber", params: [tag, isWhole] };
      // Only the node has this block.
      if (tag === "pending") return forward<JsonObject | null>(context, byNumber);
      const named = await findNumber(context, tag);
      if (named.kind !== "ok") return named;
      const { isAbove, block } = await context.read(async (sql, served) => {
        const head = await served;
        const number = named.result(head.number);
        return number === head.number
          ? { isAbove: false, block: head }
          : { isAbove: number > head.number, block: await getBlockReference(sql, number) };
      });
      if (isAbove) return ok(null);
      return block
        ? ofBranch(context, { method: "eth_getBlockByHash", params: [block.hash, isWhole] })
        : forward<JsonObject | null>(context, byNumber);
    },
  }),
  eth_getBlockTransactionCountByNumber: defineProxyAction({
    summary: "Number of transactions in a block",
    params: z.object({ tag: tag(0) }),
    result: wire.quantity.nullable(),
    example: { tag: "0x1" },
    handle: (context, input) =>
      ofIndexedBlock(
        context,
        input.tag,
        async (sql, number) => {
          const found = await getBlock(sql, { number });
          return found && { result: quantity(found.transactionCount) };
        },
        (block) => ({ method: "eth_getBlockTransactionCountByNumber", params: [block] }),
      ),
  }),
  eth_getUncleByBlockNumberAndIndex: defineProxyAction({
    summary: "Header of an uncle of a block, where the node still has it",
    params: z.object({ tag: tag(0), index: index(1) }),
    result: jsonObject,
    example: { tag: "0x1", index: "0x0" },
    async handle(context, { tag: block, index: place }) {
      let number: string = block;
      if (block !== "pending" && block !== "safe" && block !== "finalized") {
        const head = await context.read(async (_sql, served) => (await served).number);
        const wanted = numberOf(block) ?? head;
        if (wanted > head) return ok(null);
        number = quantity(wanted);
      }
      const call = { method: "eth_getUncleByBlockNumberAndIndex", params: [number, place] };
      const outcome = await forward<JsonObject | null>(context, call);
      // Nodes of chains without uncles lack the method.
      return outcome.kind === "rpc-error" && !isUnanswered(outcome.code) ? ok(null) : outcome;
    },
  }),
  eth_getTransactionByHash: defineTransaction(
    "A transaction, mined or in the node's pool",
    findTransaction,
  ),
  eth_getTransactionByBlockNumberAndIndex: defineProxyAction({
    summary: "A transaction by its place in a block",
    params: z.object({ tag: tag(0), index: index(1) }),
    result: jsonObject,
    example: { tag: "0x1", index: "0x0" },
    async handle(context, { tag: block, index: place }) {
      return ofIndexedBlock<JsonObject | null>(
        context,
        block,
        async (sql, number) => {
          const position = Math.min(Number.parseInt(place, 16), MAXIMUM_INDEX);
          const found = await getSignedTransactionAt(sql, number, position);
          if (!found) return undefined;
          const { transaction } = found;
          return { result: transaction && presentTransaction(transaction, context.chainId()) };
        },
        (number) => ({
          method: "eth_getTransactionByBlockNumberAndIndex",
          params: [number, quantity(place)],
        }),
      );
    },
  }),
  eth_getTransactionReceipt: defineTransaction(
    "Receipt of a transaction with its logs, once it is in a block",
    findReceipt,
  ),
};

/** Asks the other nodes when one lacks an indexed block: it is behind, or has left the branch. */
export async function ofBranch(
  context: Reading,
  call: RpcCall,
): Promise<Outcome<JsonObject | null>> {
  const first = await forward<JsonObject | null>(context, call);
  if (first.kind !== "ok" || first.result !== null) return first;
  for (const node of context.chain.nodes) {
    const other = await forward<JsonObject | null>(context, call, node);
    if (other.kind === "ok" && other.result !== null) return other;
  }
  throw new ChainError("block-unknown", "no node has the block any more");
}

function defineTransaction(summary: string, find: typeof findTransaction) {
  return defineProxyAction({
    summary,
    params: z.object({ txhash: hash(0) }),
    result: jsonObject,
    example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
    handle: async (context, { txhash }) =>
      outcomeOf(await find(context, txhash, createForward(context.chain))),
  });
}

/** Returns what `query` finds for a tag's block, null above the head. The node gets `call` for `pending` and unindexed blocks. */
async function ofIndexedBlock<Result>(
  context: Reading,
  tag: BlockTag,
  query: (sql: Queryable, blockNumber: number) => Promise<{ result: Result } | undefined>,
  call: (tag: BlockTag) => RpcCall,
): Promise<Outcome<Result | null>> {
  if (tag === "pending") return forward(context, call(tag));
  const named = await findNumber(context, tag);
  if (named.kind !== "ok") return named;
  const { number, found } = await context.read(async (sql, served) => {
    const head = (await served).number;
    const wanted = named.result(head);
    return { number: wanted, found: wanted > head ? { result: null } : await query(sql, wanted) };
  });
  return found ? ok(found.result) : forward(context, call(quantity(number)));
}

/** Returns the number of a tag's block at a served head. The node resolves `safe` and `finalized`, which are never above the head. */
export async function findNumber(
  context: Reading,
  tag: Exclude<BlockTag, "pending">,
): Promise<Outcome<(head: number) => number>> {
  if (tag !== "safe" && tag !== "finalized") return ok((head) => numberOf(tag) ?? head);
  const call = { method: "eth_getBlockByNumber", params: [tag, false] };
  const outcome = await forward<{ number?: unknown } | null>(context, call);
  if (outcome.kind !== "ok") return outcome;
  const number = outcome.result?.number;
  return ok((head) => (isQuantity(number) ? Math.min(Number(number), head) : BEYOND));
}

/** Returns the number of a tag's block; undefined for the served head. */
function numberOf(tag: Exclude<BlockTag, "pending" | "safe" | "finalized">): number | undefined {
  if (tag === "latest") return undefined;
  return tag === "earliest" ? 0 : Math.min(Number.parseInt(tag, 16), BEYOND);
}
