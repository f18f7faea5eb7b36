import type { Logger } from "pino";
import { sleep } from "../core/async.ts";
import { messageOf } from "../core/errors.ts";
import type { Hex } from "../core/hex.ts";
import { quantityToNumber } from "../core/quantity.ts";
import { saveState, startAnvil } from "./anvil.ts";
import { type Artifact, loadArtifacts } from "./artifacts.ts";
import { createRpc, type Rpc } from "./rpc.ts";
import { playRound, ROUNDS_OF_A_CYCLE } from "./traffic.ts";
import { deployWorld, describeWorld, type World } from "./world.ts";

export interface DevnetOptions {
  /** The folder that is to hold the chain and the compiled contracts; made when missing. */
  folder: string;
  log: Logger;
  /** Ends a start that is under way. */
  signal: AbortSignal;
}

/** A chain of our own with a small sample world and a little traffic. */
export interface Devnet {
  rpcUrl: string;
  webSocketUrl: string;
  /** Resolves when the node has ended, asked or not, with how it ended in words. */
  readonly exited: Promise<string>;
  /** Ends the traffic, keeps the chain for the next start and stops the node. */
  stop(): Promise<void>;
}

const PAUSE_MS = 4_000;
/** Blocks after which the pause has doubled: the chain grows like the square root of time, not like time. */
const BLOCKS_PER_PAUSE = 1_000;
/** Saving may take this part of the time at most. */
const SAVING_SHARE = 0.02;
const FINAL_SAVE_MS = 1_000;

/**
 * Starts the embedded chain, as it was when it was last saved. An empty one gets the sample world and one cycle of
 * traffic before this resolves; afterwards a round is mined every few seconds. The developer's transactions are mined at once.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { folder, log, signal } = options;
  const artifacts = loadArtifacts(folder);
  // Awaited below: a failure meanwhile must not count as unhandled.
  artifacts.catch(() => {});
  const anvil = await startAnvil(folder, log, signal);
  const stopping = new AbortController();
  const rpc = createRpc(anvil.url, AbortSignal.any([stopping.signal, signal]));
  try {
    const compiled = await artifacts;
    const world = await describeWorld(rpc, compiled);
    const parts = { rpc, world, artifacts: compiled, folder, log };
    await populate(parts);
    const traffic = keepBusy(parts, stopping.signal);
    return {
      rpcUrl: anvil.url,
      webSocketUrl: anvil.url.replace(/^http/, "ws"),
      exited: anvil.exited,
      stop: async () => {
        stopping.abort();
        await traffic;
        await saveState(createRpc(anvil.url, AbortSignal.timeout(FINAL_SAVE_MS)), folder).catch(
          (error) => log.warn(`the last blocks of the chain are not kept: ${messageOf(error)}`),
        );
        await anvil.stop();
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

interface Parts {
  rpc: Rpc;
  world: World;
  artifacts: Map<string, Artifact>;
  folder: string;
  log: Logger;
}

async function populate({ rpc, world, artifacts, folder, log }: Parts): Promise<void> {
  if (quantityToNumber(await rpc<Hex>("eth_blockNumber")) > 0) return;
  await deployWorld(rpc, world, artifacts);
  for (let round = 0; round < ROUNDS_OF_A_CYCLE; round++) await playRound(rpc, world);
  await saveState(rpc, folder);
  log.debug("the sample world is deployed");
}

async function keepBusy(parts: Parts, signal: AbortSignal): Promise<void> {
  const { rpc, world, artifacts, folder, log } = parts;
  let pauseMs = PAUSE_MS;
  let saveAgainAt = 0;
  while (!signal.aborted) {
    await sleep(pauseMs, signal);
    try {
      // Again and again: the developer may reset the chain at any time.
      if (await deployWorld(rpc, world, artifacts)) await playRound(rpc, world);
      const height = quantityToNumber(await rpc<Hex>("eth_blockNumber"));
      pauseMs = PAUSE_MS * (1 + height / BLOCKS_PER_PAUSE);
      if (Date.now() < saveAgainAt) continue;
      const startedAt = Date.now();
      await saveState(rpc, folder);
      saveAgainAt = Date.now() + (Date.now() - startedAt) / SAVING_SHARE;
    } catch (error) {
      if (!signal.aborted) log.debug(`no traffic in this round: ${messageOf(error)}`);
    }
  }
}
