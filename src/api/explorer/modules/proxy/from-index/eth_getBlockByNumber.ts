import { z } from "zod";
import type { RpcCall } from "../../../../../chain/options.ts";
import { ChainError } from "../../../../../core/errors.ts";
import { getBlockReference } from "../../../../../store/blocks/blocks.ts";
import type { Context } from "../../../action.ts";
import { type Outcome, ok } from "../../../envelope.ts";
import { boolean, tagOrLatest } from "../arguments.ts";
import { defineProxyAction } from "../define.ts";
import { forward } from "../forward.ts";
import { numberOf } from "./indexed-block.ts";

type Block = Record<string, unknown> | null;

export const ethGetBlockByNumber = defineProxyAction({
  name: "eth_getBlockByNumber",
  summary: "A block up to the served head, as the node has it",
  params: z.object({
    tag: tagOrLatest(0),
    boolean: boolean(1).describe("`true`: whole transactions instead of their hashes"),
  }),
  result: z.record(z.string(), z.unknown()).nullable(),
  example: { tag: "0x1", boolean: "true" },
  async handle(context, { tag, boolean: isWhole }) {
    const byNumber = { method: "eth_getBlockByNumber", params: [tag, isWhole] };
    // Only the node has these blocks.
    if (tag === "pending" || tag === "safe" || tag === "finalized") {
      return forward<Block>(context, byNumber);
    }
    const number = numberOf(tag);
    const { isAbove, block } = await context.read(async (sql, served) => {
      const head = await served;
      return number === undefined || number === head.number
        ? { isAbove: false, block: head }
        : { isAbove: number > head.number, block: await getBlockReference(sql, number) };
    });
    if (isAbove) return ok(null);
    return block
      ? ofBranch(context, { method: "eth_getBlockByHash", params: [block.hash, isWhole] })
      : forward<Block>(context, byNumber);
  },
});

/** Asks the other nodes when one lacks an indexed block: it is behind, or has left the branch. */
async function ofBranch(context: Context, call: RpcCall): Promise<Outcome<Block>> {
  const first = await forward<Block>(context, call);
  if (first.kind !== "ok" || first.result !== null) return first;
  for (const node of context.chain.nodes) {
    const other = await forward<Block>(context, call, node);
    if (other.kind === "ok" && other.result !== null) return other;
  }
  throw new ChainError("block-unknown", "no node has the block any more");
}
