import type { Logger } from "pino";
import { sleep } from "../core/async.ts";
import { messageOf } from "../core/errors.ts";
import { quantityToNumber } from "../core/evm/quantity.ts";
import { deployAdditions, planAdditions } from "./additions.ts";
import { saveState, startAnvil } from "./anvil.ts";
import { loadArtifacts } from "./artifacts.ts";
import { createRpc, type Rpc } from "./rpc.ts";
import { playRound, ROUNDS_OF_A_CYCLE } from "./traffic.ts";
import { createWorld, deployWorld, sendFirstPayment, type World } from "./world.ts";

export interface DevnetOptions {
  /** Folder for the chain and the compiled contracts; created when missing. */
  folder: string;
  log: Logger;
  /** Ends a start in progress, and the traffic. */
  signal: AbortSignal;
}

/** An embedded chain with a small sample world and a little traffic. */
export type Devnet = Awaited<ReturnType<typeof startDevnet>>;

const PAUSE_MS = 4_000;
/** Blocks after which the pause has doubled: the chain grows with the square root of time. */
const BLOCKS_PER_PAUSE = 1_000;
/** Largest share of the time spent on saving. */
const SAVING_SHARE = 0.02;
const FINAL_SAVE_MS = 1_000;

/** Starts the saved chain, or a new one with a payment; then the sample world, a cycle of traffic and rounds with pauses. */
export async function startDevnet({ folder, log, signal }: DevnetOptions) {
  const anvil = await startAnvil(folder, log, signal);
  const stopping = new AbortController();
  const rpc = createRpc(anvil.url, stopping.signal);
  await sendFirstPayment(rpc).catch(async (error) => {
    await anvil.stop();
    throw error;
  });
  const populated = Promise.withResolvers<number>();
  const busy = AbortSignal.any([signal, stopping.signal]);
  const traffic = keepBusy({ rpc, folder, log, signal: busy }, populated.resolve);
  return {
    rpcUrl: anvil.url,
    webSocketUrl: anvil.url.replace(/^http/, "ws"),
    /** Resolves with the number of the head once the sample world is complete, or with 0 when it cannot be created. */
    populated: populated.promise,
    /** Resolves with a description of the cause when the node has ended, for any reason. */
    exited: anvil.exited,
    /** Ends the traffic, saves the chain for the next start and stops the node. */
    stop: async () => {
      stopping.abort();
      await traffic;
      await saveState(createRpc(anvil.url, AbortSignal.timeout(FINAL_SAVE_MS)), folder).catch(
        (error) => log.warn(`cannot save the last blocks of the chain: ${messageOf(error)}`),
      );
      await anvil.stop();
    },
  };
}

interface Parts {
  rpc: Rpc;
  folder: string;
  log: Logger;
  signal: AbortSignal;
}

async function keepBusy(parts: Parts, onPopulated: (head: number) => void): Promise<void> {
  const { rpc, folder, log, signal } = parts;
  try {
    const artifacts = await loadArtifacts(folder, signal);
    const world = await createWorld(rpc, artifacts);
    await play(world, planAdditions(world, artifacts), parts, onPopulated);
  } catch (error) {
    if (!signal.aborted) log.error(`cannot create the sample world:  ${messageOf(error)}`);
    onPopulated(0);
  }
}

/** Plays rounds in a loop; a failed part is tried again in the next. */
async function play(
  world: World,
  additions: ReturnType<typeof planAdditions>,
  { rpc, folder, log, signal }: Parts,
  onPopulated: (head: number) => void,
): Promise<void> {
  let saveAgainAt = 0;
  let stood = false;
  while (!signal.aborted) {
    let pauseMs = PAUSE_MS;
    try {
      // In every round: the developer may reset the chain at any time.
      await sendFirstPayment(rpc);
      const stands = await deployWorld(rpc, world, stood);
      stood ||= stands;
      await deployAdditions(rpc, world, additions);
      const round = stands ? await playRound(rpc, world) : null;
      const head = quantityToNumber(await rpc<string>("eth_blockNumber"));
      const isFirstCycle = round !== null && round < ROUNDS_OF_A_CYCLE;
      pauseMs = isFirstCycle ? 0 : PAUSE_MS * (1 + head / BLOCKS_PER_PAUSE);
      if (!isFirstCycle) onPopulated(head);
      if (performance.now() >= saveAgainAt) {
        const startedAt = performance.now();
        await saveState(rpc, folder);
        const savedAt = performance.now();
        saveAgainAt = savedAt + (savedAt - startedAt) / SAVING_SHARE;
      }
    } catch (error) {
      if (!signal.aborted) log.debug(`no traffic in this round: ${messageOf(error)}`);
    }
    await sleep(pauseMs, signal);
  }
}
