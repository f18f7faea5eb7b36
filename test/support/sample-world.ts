import { writeFile } from "node:fs/promises";
import path from "node:path";
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
  /** Writes its LABELS_FILE and has it read again. */
  relabel(text: string): Promise<void>;
  /** Everything it logged so far. */
  messages(): string[];
  end(): Promise<unknown>;
}

const LABELLED = {
  address: registry["nametag"]?.[0]?.example["address"],
  name: "Faucet",
  tags: ["Test net", "Ops"],
  url: "https://example.org/faucet",
  note: "Gives a coin a day",
};

/** Starts it in an empty folder. */
export async function startSampleWorld(folder: string): Promise<SampleWorld> {
  const labels = path.join(folder, "labels.json");
  await writeFile(labels, JSON.stringify([LABELLED]));
  const periscope = startPeriscope({ DATA_DIR: folder, LABELS_FILE: labels });
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
  const relabel = async (text: string) => {
    await writeFile(labels, text);
    periscope.process.kill("SIGHUP");
  };
  return { origin, chain, relabel, messages: periscope.messages, end: () => periscope.end() };
}
