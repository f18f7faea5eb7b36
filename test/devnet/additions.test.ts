import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { BUOYS } from "../../src/api/explorer/modules/contract/verification/sample-buoy.ts";
import { deployAdditions, PRICE_FEEDS, planAdditions } from "../../src/devnet/additions.ts";
import { loadArtifacts } from "../../src/devnet/artifacts.ts";
import { createRpc } from "../../src/devnet/rpc.ts";
import { playRound } from "../../src/devnet/traffic.ts";
import { createWorld, deployWorld } from "../../src/devnet/world.ts";
import { startAnvil } from "../support/anvil.ts";

test("a chain from before the additions gets them once, where the documentation says", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-additions-"));
  const anvil = await startAnvil();
  const { signal } = new AbortController();
  const rpc = createRpc(anvil.url, signal);
  const artifacts = await loadArtifacts(folder, signal);
  const world = await createWorld(rpc, artifacts);
  await deployWorld(rpc, world);
  // The deployer's later nonces are taken.
  for (let round = 0; round < 3; round++) await playRound(rpc, world);

  const additions = planAdditions(world, artifacts);
  await deployAdditions(rpc, world, additions);
  for (const { address } of additions) {
    expect(await rpc("eth_getCode", address, "latest")).not.toBe("0x");
  }
  const addresses = additions.map(({ address }) => address as string);
  expect(addresses).toEqual(
    expect.arrayContaining([PRICE_FEEDS.usd, PRICE_FEEDS.btc, ...Object.values(BUOYS)]),
  );

  const before = await rpc("eth_blockNumber");
  await deployAdditions(rpc, world, additions);
  expect(await rpc("eth_blockNumber")).toBe(before);
  expect(await rpc("txpool_status")).toMatchObject({ queued: "0x1" });

  await anvil.stop();
  await rm(folder, { recursive: true, force: true });
});
