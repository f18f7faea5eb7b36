import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { quantity, quantityToNumber } from "../../src/core/evm/quantity.ts";
import { loadArtifacts } from "../../src/devnet/artifacts.ts";
import { createRpc } from "../../src/devnet/rpc.ts";
import { playRound, ROUNDS_OF_A_CYCLE } from "../../src/devnet/traffic.ts";
import { createWorld, deployWorld } from "../../src/devnet/world.ts";
import { startAnvil } from "../support/anvil.ts";

test("three cycles of traffic fail exactly where they are meant to", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-traffic-"));
  const anvil = await startAnvil();
  const { signal } = new AbortController();
  const rpc = createRpc(anvil.url, signal);
  const world = await createWorld(rpc, await loadArtifacts(folder, signal));
  await deployWorld(rpc, world);
  for (let round = 0; round < 3 * ROUNDS_OF_A_CYCLE; round++) await playRound(rpc, world);

  const failed: string[] = [];
  const head = quantityToNumber(await rpc<string>("eth_blockNumber"));
  for (let block = 1; block <= head; block++) {
    const receipts = await rpc<{ status: string; to: string }[]>(
      "eth_getBlockReceipts",
      quantity(block),
    );
    failed.push(...receipts.filter(({ status }) => status === "0x0").map(({ to }) => to));
  }
  const meant = [world.addressOf("Splitter"), world.addressOf("Coin")];
  expect(failed).toEqual([...meant, ...meant, ...meant]);

  await anvil.stop();
  await rm(folder, { recursive: true, force: true });
});
