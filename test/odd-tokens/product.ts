import { type Periscope, startPeriscope } from "../support/periscope.ts";

/** An answer of the API, with the head that it names. */
export interface Served {
  status: string;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: each action has a result of its own
  result: any;
  head: string | undefined;
}

export type Dialect = "/api" | "/v2/api";

/** Periscope as `npm start` runs it. */
export interface Product {
  ask(dialect: Dialect, parameters: Readonly<Record<string, string>>): Promise<Served>;
  /** Waits until the head of this hash is served. */
  reach(hash: string): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const PATIENCE_MS = 90_000;

/** Starts the product on a node and a database. */
export async function startProduct(
  rpcUrl: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<Product> {
  const periscope: Periscope = startPeriscope({
    RPC_URL: rpcUrl,
    DATABASE_URL: databaseUrl,
    POLL_INTERVAL_MS: "50",
    ...settings,
  });
  const { api } = await periscope.ready;
  const { origin } = new URL(api);

  async function ask(
    dialect: Dialect,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Served> {
    const query = new URLSearchParams({
      ...(dialect === "/v2/api" && { chainid: "31337" }),
      ...parameters,
    });
    const response = await fetch(`${origin}${dialect}?${query}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const head = response.headers.get("x-periscope-block")?.split(";")[1];
    return { ...((await response.json()) as Omit<Served, "head">), head };
  }

  return {
    ask,
    async reach(hash) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const { head } = await ask("/api", { module: "stats", action: "ethsupply" });
        if (head === hash) return;
        if (Date.now() > deadline) throw new Error(`${hash} is not served; ${head} is`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async stop(signal) {
      await periscope.end(signal);
    },
  };
}
