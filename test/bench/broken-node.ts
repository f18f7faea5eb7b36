import { sleep } from "../../src/core/async.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

// A node in a separate process, which breaks on command. Its argument is the id of its chain.

/** Data of a block of a node that floods. */
const FLOOD_BYTES = 2_000_000;
const PAUSE_MS = 200;
const REMEMBERED = 100;

const BREAKAGES: Readonly<Record<string, (node: ScriptedNode) => unknown>> = {
  nothing: () => {},
  gone: (node) => node.fail({ effect: { kind: "drop" } }),
  hanging: (node) => node.fail({ effect: { kind: "stall" } }),
  flooding: flood,
  resetting: resetWithoutEnd,
};

const node = await startScriptedNode({
  chain: new ScriptedChain({ chainId: Number(process.argv[2]) }),
});
node.chain.mine(10);
process.on("message", (breakage: string) => void BREAKAGES[breakage]?.(node));
process.once("disconnect", () => process.exit());
process.send?.(node.url);

async function flood({ chain, requests }: ScriptedNode): Promise<void> {
  const input = `0x${"ab".repeat(FLOOD_BYTES / 4)}` as const;
  for (;;) {
    chain.mine({ transactions: [{ input }, { input }] });
    requests.splice(0, Math.max(0, requests.length - REMEMBERED));
    await sleep(PAUSE_MS);
  }
}

async function resetWithoutEnd({ chain, requests }: ScriptedNode): Promise<void> {
  for (;;) {
    chain.reset();
    chain.mine(20);
    requests.splice(0, Math.max(0, requests.length - REMEMBERED));
    await sleep(PAUSE_MS);
  }
}
