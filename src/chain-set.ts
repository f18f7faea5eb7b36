import { isDeepStrictEqual } from "node:util";
import { pathNameOf, type ServedChain, type ServedChains } from "./api/served-chain.ts";
import { endpointOfSettings, type ProcessContext } from "./backends.ts";
import type { Config } from "./config.ts";
import { sleep } from "./core/async.ts";
import { messageOf } from "./core/errors.ts";
import { createShutdown, type Shutdown } from "./core/shutdown.ts";
import { requireConnections } from "./prepare-database.ts";
import { connectionsOf, createRunningChain, type RunningChain } from "./run-chain.ts";
import type { VerificationWorks } from "./verification/verifier.ts";

/** The chains of CHAINS_FILE, each with its own parts: a failure of one does not reach another. */
export interface ChainSet {
  served: ServedChains;
  /**
   * Takes over the chains of a changed file. Chains with the same settings go on, unless they have stopped. Rejects
   * with `ConfigError`, and changes nothing, when the database does not allow so many connections.
   */
  replace(configs: Configs): Promise<void>;
}

type Configs = readonly [Config, ...Config[]];

export interface ChainSetOptions extends ProcessContext {
  databaseUrl: string;
  works: VerificationWorks | null;
  /** A chain that leaves stays up for twice as long, for the requests under way. */
  requestTimeoutMs: number;
  /** Called with each chain that is up. */
  onStart(chain: RunningChain): void;
}

/** One chain of the file. */
interface Slot {
  chain: RunningChain;
  shutdown: Shutdown;
  /** The chain with its earlier settings, served until this one is up. */
  previous: Slot | undefined;
}

type Slots = readonly [Slot, ...Slot[]];

/** Starts the chains without waiting for them. Rejects with `ConfigError` when the database cannot be used. */
export async function startChainSet(configs: Configs, options: ChainSetOptions): Promise<ChainSet> {
  const { log, requestTimeoutMs } = options;
  const leaving = new Set<Promise<void>>();
  await requireRoom(configs);
  let slots = take(configs, []);
  options.shutdown.add("chains", async () => {
    await Promise.all([...slots.map(close), ...leaving]);
  });

  async function requireRoom(wanted: Configs): Promise<void> {
    const connections = wanted.reduce((sum, config) => sum + connectionsOf(config), 0);
    await requireConnections(options.databaseUrl, connections);
    log.info(`${wanted.length} chains, which may hold ${connections} connections to the database`);
  }

  function take(wanted: Configs, current: readonly Slot[]): Slots {
    const slotOf = (config: Config): Slot => {
      const known = current.find(({ chain }) => chain.config.CHAIN_ID === config.CHAIN_ID);
      const isSame = known && isDeepStrictEqual(known.chain.config, config);
      return isSame && known.chain.served.stopped() === null ? known : begin(config, known);
    };
    const [first, ...others] = wanted;
    return [slotOf(first), ...others.map(slotOf)];
  }

  function begin(config: Config, previous: Slot | undefined): Slot {
    const chainName = pathNameOf(config.NETWORK_NAME) || String(config.CHAIN_ID);
    const chainLog = log.child({ chain: chainName });
    const shutdown = createShutdown((name, error) =>
      chainLog.warn({ err: error }, `closing ${name}`),
    );
    const onFatal = (reason: string): void => {
      if (chain.served.stopped() === reason) return;
      chainLog.error(`stopped: ${reason}`);
      void chain.halt(reason);
    };
    const place = {
      ...endpointOfSettings(config, null),
      databaseUrl: options.databaseUrl,
      schema: config.DATABASE_SCHEMA ?? "public",
    };
    const context = { ...options, log: chainLog, shutdown, chainName, onFatal };
    const chain = createRunningChain(config, place, context);
    const slot: Slot = { chain, shutdown, previous };
    void start(slot, onFatal);
    return slot;
  }

  async function start(slot: Slot, onFatal: (reason: string) => void): Promise<void> {
    try {
      await slot.chain.start();
      options.onStart(slot.chain);
    } catch (error) {
      onFatal(messageOf(error));
    }
    if (slot.previous) leave(slot.previous);
    slot.previous = undefined;
  }

  /** Stops a chain's work at once, and closes it when all earlier requests have been answered. */
  function leave(slot: Slot): void {
    if (slot.previous) leave(slot.previous);
    const done = slot.chain
      .quit()
      .then(() => sleep(2 * requestTimeoutMs, options.shutdown.signal))
      .then(() => slot.shutdown.close())
      .finally(() => leaving.delete(done));
    leaving.add(done);
  }

  async function close({ shutdown, previous }: Slot): Promise<void> {
    await Promise.all([shutdown.close(), previous && close(previous)]);
  }

  return {
    served: () => {
      const [first, ...others] = slots;
      return [servedOf(first), ...others.map(servedOf)];
    },
    replace: async (wanted) => {
      await requireRoom(wanted);
      const before = slots;
      slots = take(wanted, before);
      const kept = new Set(slots.flatMap((slot) => [slot, slot.previous]));
      for (const slot of before) if (!kept.has(slot)) leave(slot);
    },
  };
}

function servedOf({ chain, previous }: Slot): ServedChain {
  return previous ? servedOf(previous) : chain.served;
}
