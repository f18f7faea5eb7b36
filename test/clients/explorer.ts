import { startAnvil } from "../support/anvil.ts";
import { createChainsFile } from "../support/chains-file.ts";
import { startPeriscope } from "../support/periscope.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { createServedChain, type ServedChain } from "./served-chain.ts";

/** A chain, and Periscope over it as `npm start` runs it. */
export interface Explorer extends ServedChain {
  /** Where the API's paths begin. */
  url: string;
  stop(): Promise<void>;
}

/** Chains in the order of their ids, and one Periscope over all of them. */
export interface ChainsExplorer {
  url: string;
  chains: readonly ServedChain[];
  stop(): Promise<void>;
}

/** Not one that development tools treat as a chain without verification. */
export const CHAIN_ID = 4711;

function startChain(id: number) {
  return startAnvil(["--chain-id", String(id)]);
}

/** Starts both; `settings` are Periscope's, beside those for its chain and its database. */
export async function startExplorer(
  settings: Readonly<Record<string, string>> = {},
): Promise<Explorer> {
  const [anvil, database] = await Promise.all([startChain(CHAIN_ID), createTestDatabase()]);
  const periscope = startPeriscope({ ...settings, RPC_URL: anvil.url, DATABASE_URL: database.url });
  const { api } = await periscope.ready;
  return {
    ...createServedChain(anvil.url, api),
    url: new URL(api).origin,
    stop: async () => {
      await periscope.end();
      await database.drop();
      await anvil.stop();
    },
  };
}

/** Starts a chain for each id, and one process that serves them all. */
export async function startChainsExplorer(ids: readonly number[]): Promise<ChainsExplorer> {
  const [database, ...anvils] = await Promise.all([createTestDatabase(), ...ids.map(startChain)]);
  const file = createChainsFile(
    anvils.map(({ url }, place) => ({
      CHAIN_ID: ids[place] as number,
      RPC_URL: url,
      DATABASE_SCHEMA: `chain_${ids[place]}`,
    })),
  );
  const periscope = startPeriscope({ CHAINS_FILE: file.path, DATABASE_URL: database.url });
  const url = new URL((await periscope.ready).api).origin;
  return {
    url,
    chains: anvils.map((anvil, place) => createServedChain(anvil.url, `${url}/${ids[place]}/api`)),
    stop: async () => {
      await periscope.end();
      await database.drop();
      await Promise.all(anvils.map((anvil) => anvil.stop()));
      file.remove();
    },
  };
}
