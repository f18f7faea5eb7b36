import { z } from "zod";
import { quantity } from "../../../../../core/evm/quantity.ts";
import { ok } from "../../../envelope.ts";
import { index, tag } from "../arguments.ts";
import { defineProxyAction } from "../define.ts";
import { forward, isUnanswered } from "../forward.ts";
import { numberOf } from "./indexed-block.ts";

const name = "eth_getUncleByBlockNumberAndIndex";
type Uncle = Record<string, unknown> | null;

export const ethGetUncleByBlockNumberAndIndex = defineProxyAction({
  name,
  summary: "Header of an uncle of a block, where the node still has it",
  params: z.object({ tag: tag(0), index: index(1) }),
  result: z.record(z.string(), z.unknown()).nullable(),
  example: { tag: "0x1", index: "0x0" },
  async handle(context, { tag: block, index: place }) {
    let number: string = block;
    if (block !== "pending" && block !== "safe" && block !== "finalized") {
      const head = await context.read(async (_sql, served) => (await served).number);
      const wanted = numberOf(block) ?? head;
      if (wanted > head) return ok(null);
      number = quantity(wanted);
    }
    const outcome = await forward<Uncle>(context, { method: name, params: [number, place] });
    // Nodes of chains without uncles do not know the method.
    return outcome.kind === "rpc-error" && !isUnanswered(outcome.code) ? ok(null) : outcome;
  },
});
