import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { pathNameOf, type ServedChain, type ServedChains } from "../api/serving/served-chain.ts";
import { sleep } from "../core/async.ts";
import { messageOf, publicMessageOf } from "../core/errors.ts";
import { createShutdown, type Shutdown } from "../core/shutdown.ts";
import type { Config } from "../settings/config.ts";
import type { VerificationWorks } from "../verification/verifier.ts";
import { endpointOfSettings, type ProcessContext } from "./backends.ts";
import { connectionsOf } from "./chain-connections.ts";
import { requireConnections } from "./prepare-database.ts";
import { createRunningChain, type RunningChain } from "./run-chain.ts";

/** The chains of CHAINS_FILE, each with separate parts: a failure of one does not affect another. */
export type ChainSet = Awaited<ReturnType<typeof startChainSet>>;

type Configs = readonly [Config, ...Config[]];

export interface ChainSetOptions extends ProcessContext {
  databaseUrl: string;
  works: VerificationWorks | null;
  /** Time limit of a request; a removed chain stays up for twice as long at most. */
  requestTimeoutMs: number;
  /** Called with each started chain. */
  onStart(chain: RunningChain): void;
}

interface Slot {
  chain: RunningChain;
  shutdown: Shutdown;
  log: Logger;
  /** The chain with its earlier settings, served until this one is up. Its own `previous` is undefined. */
  previous: Slot | undefined;
  hasFailed: boolean;
}

type Slots = readonly [Slot, ...Slot[]];

/** Starts the chains without waiting for them. Rejects with `ConfigError` when the database is unusable. */
export async function startChainSet(configs: Configs, options: ChainSetOptions) {
  const { log, requestTimeoutMs } = options;
  const leaving = new Set<Promise<void>>();
  await requireRoom(configs);
  let slots = take(configs, []);
  for (const slot of slots) void start(slot);
  options.shutdown.add("chains", async () => {
    await Promise.all([...slots.map(close), ...leaving]);
  });

  async function requireRoom(wanted: Configs): Promise<void> {
    const connections = wanted.reduce((sum, config) => sum + connectionsOf(config), 0);
    await requireConnections(options.databaseUrl, connections);
    log.info(`${wanted.length} chains, which may hold ${connections} connections to the database`);
  }

  /** Returns the chains of a file: existing ones, and new ones to be started. */
  function take(wanted: Configs, current: readonly Slot[]): Slots {
    const findOrCreateSlot = (config: Config): Slot => {
      const known = current.filter(({ chain }) => chain.config.CHAIN_ID === config.CHAIN_ID);
      const same = known.find((slot) => isDeepStrictEqual(slot.chain.config, config));
      return same && !same.hasFailed ? same : createSlot(config, known.find(isUp));
    };
    const [first, ...others] = wanted;
    return [findOrCreateSlot(first), ...others.map(findOrCreateSlot)];
  }

  function createSlot(config: Config, previous: Slot | undefined): Slot {
    const chainName = pathNameOf(config.NETWORK_NAME) || String(config.CHAIN_ID);
    const chainLog = log.child({ chain: chainName });
    const shutdown = createShutdown((name, error) =>
      chainLog.warn({ err: error }, `closing ${name}`),
    );
    const place = {
      ...endpointOfSettings(config, null),
      databaseUrl: options.databaseUrl,
      schema: config.DATABASE_SCHEMA ?? "public",
    };
    const onFatal = (reason: string, publicReason: string) => halt(slot, reason, publicReason);
    const context = { ...options, log: chainLog, shutdown, chainName, onFatal };
    const chain = createRunningChain(config, place, context);
    const slot: Slot = { chain, shutdown, log: chainLog, previous, hasFailed: false };
    return slot;
  }

  async function start(slot: Slot): Promise<void> {
    const { chain, previous } = slot;
    if (previous) slot.log.info("its new settings are taken once its node answers");
    try {
      if (!(await chain.start({ waitsForNode: previous !== undefined }))) return;
    } catch (error) {
      // The chain was removed during its start.
      if (options.shutdown.signal.aborted || !slots.includes(slot)) return;
      if (previous && isUp(previous)) return stay(slot, previous, error);
      halt(slot, messageOf(error), publicMessageOf(error));
    }
    slot.previous = undefined;
    if (previous) leave(previous);
    if (isUp(slot)) options.onStart(chain);
  }

  /** Keeps the chain's earlier settings. */
  function stay(failed: Slot, previous: Slot, error: unknown): void {
    failed.log.error(
      `its new settings cannot be used, it goes on with the earlier ones: ${messageOf(error)}`,
    );
    const [first, ...others] = slots.map((slot) => (slot === failed ? previous : slot));
    slots = [first ?? previous, ...others];
    leave(failed);
  }

  function halt(slot: Slot, reason: string, publicReason: string): void {
    if (slot.chain.served.stopped() === publicReason) return;
    slot.hasFailed = true;
    slot.log.error(`stopped: ${reason}`);
    void slot.chain.halt(publicReason);
  }

  const patience = () => sleep(2 * requestTimeoutMs, options.shutdown.signal);

  /** Stops a chain's work at once, and closes it after the last earlier request. */
  function leave({ chain, shutdown, log: chainLog }: Slot): void {
    const done = chain
      .quit()
      .catch((error: unknown) => chainLog.warn({ err: error }, "ending its work"))
      .then(() => Promise.race([chain.served.requests.over(), patience()]))
      .then(() => shutdown.close())
      .finally(() => leaving.delete(done));
    leaving.add(done);
  }

  async function close({ shutdown, previous }: Slot): Promise<void> {
    await Promise.all([shutdown.close(), previous && close(previous)]);
  }

  const served: ServedChains = () => {
    const [first, ...others] = slots;
    return [chooseServed(first), ...others.map(chooseServed)];
  };
  return {
    served,
    /**
     * Applies a changed file. Chains with the same settings continue, unless they have stopped. A
     * chain with other settings keeps its earlier ones until it is up with the new ones, and for good
     * if these are unusable. Rejects with `ConfigError`, and changes nothing, when the database does
     * not allow so many connections.
     */
    replace: async (wanted: Configs) => {
      await requireRoom(wanted);
      if (options.shutdown.signal.aborted) return;
      const before = withPrevious(slots);
      slots = take(wanted, before);
      for (const slot of slots) if (!before.includes(slot)) void start(slot);
      const kept = new Set(withPrevious(slots));
      for (const slot of before) if (!kept.has(slot)) leave(slot);
    },
  };
}

function isUp({ chain }: Slot): boolean {
  return chain.served.stopped() === null;
}

function withPrevious(slots: readonly Slot[]): Slot[] {
  return slots.flatMap((slot) => (slot.previous ? [slot, slot.previous] : [slot]));
}

function chooseServed({ chain, previous }: Slot): ServedChain {
  return previous ? chooseServed(previous) : chain.served;
}
