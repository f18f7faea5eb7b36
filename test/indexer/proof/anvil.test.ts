import { expect, it } from "vitest";
import type { FetchedBlock } from "../../../src/chain/types.ts";
import { PARTS, prove } from "../../../src/indexer/proof/prove.ts";
import { startAnvil } from "../../support/anvil.ts";
import { openChain } from "../../support/test-chain.ts";
import { deployWorld } from "../../support/world/world.ts";

function hasBlobs({ block }: FetchedBlock): boolean {
  return block.transactions.some(({ type }) => type === "0x3");
}

it("blocks of a real node are proven, with every type of transaction in them", async () => {
  const anvil = await startAnvil();
  try {
    await (await deployWorld(anvil.url)).everything();
    const { chain } = openChain([anvil], { traces: "off" });
    const { number } = await chain.fetchHead();
    const types = new Set<string | undefined>();
    const unproven: string[] = [];
    for (let next = 0; next <= number; next++) {
      const [fetched] = (await chain.fetchBlocks([next])).blocks;
      if (!fetched) throw new Error(`no block ${next}`);
      for (const { type } of fetched.block.transactions) types.add(type);
      for (const part of PARTS) {
        const verdict = await prove(part, fetched);
        // anvil 1.7 makes the root of transactions with blobs over the blobs too, which are not in a block.
        if (part === "transactions" && hasBlobs(fetched)) expect(verdict.outcome).toBe("failed");
        else if ("reason" in verdict) unproven.push(`${part} of ${next}: ${verdict.reason}`);
      }
    }
    expect(unproven).toEqual([]);
    expect([...types].sort()).toEqual(["0x0", "0x1", "0x2", "0x3", "0x4"]);
  } finally {
    await anvil.stop();
  }
});
