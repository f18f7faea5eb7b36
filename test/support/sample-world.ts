import { setTimeout as sleep } from "node:timers/promises";
import { registry } from "../../src/api/explorer/registry.ts";
import { startPeriscope } from "./periscope.ts";

const PATIENCE_MS = 60_000;

/** Periscope at its first start, with the sample world indexed and its contracts verified. */
export interface SampleWorld {
  /** Of its URLs. */
  origin: string;
  /** JSON-RPC of its chain. */
  chain: string;
  end(): Promise<unknown>;
}

/** Starts it in an empty folder. */
export async function startSampleWorld(folder: string): Promise<SampleWorld> {
  const periscope = startPeriscope({ DATA_DIR: folder });
  const { api, chain = "" } = await periscope.ready;
  const { origin } = new URL(api);
  // Verifications go on for a few seconds behind the first answers.
  const last = registry["contract"]?.find(({ name }) => name === "checkproxyverification");
  const url = `${origin}/v2/api/contract/checkproxyverification?${new URLSearchParams(last?.example)}`;
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const answer = (await (await fetch(url)).json()) as { status: string };
    if (answer.status === "1") break;
    await sleep(200);
  }
  return { origin, chain, end: () => periscope.end() };
}
