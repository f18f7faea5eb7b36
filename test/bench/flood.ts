import path from "node:path";
import { sleep } from "../../src/core/async.ts";
import { DEFAULT_LIMITS } from "../../src/verification/process/worker-process.ts";
import { type DeploymentChain, startDeploymentChain } from "../verification/deployment.ts";
import { neverEnding } from "../verification/hostile-sources.ts";
import { deployProgram, note } from "../verification/world.ts";
import type { Bench } from "./bench.ts";
import { openHttpClient } from "./measure/http-client.ts";
import { type Product, startProduct } from "./measure/product.ts";
import { median, quantile } from "./measure/statistics.ts";
import { latencies } from "./verification.ts";

const BOMBS = 92;
const JUNK_PAUSE_MS = 50;
const KEY = "key-of-somebody-else";
const VERSION = "0.8.37+commit.f401782d";

/**
 * Measures what another client feels while one floods the verification with compiles that do not end and with junk for
 * that client's contract.
 */
export async function benchFlood(bench: Bench): Promise<void> {
  const node = await startDeploymentChain();
  const database = await bench.server.create("flood");
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      RPC_URL: node.anvil.url,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      POLL_INTERVAL_MS: "50",
      API_KEYS: KEY,
    },
  });
  const questions = bench.quick ? 200 : 5000;
  try {
    bench.say("verifying while another client floods");
    const chainId = Number(await node.request<string>("eth_chainId"));
    const other = createClient(product, chainId, KEY);
    const attacker = createClient(product, chainId, undefined);
    const usual: number[] = [];
    for (let round = 0; round < 4; round++) usual.push(await other.verify(node, `usual ${round}`));
    const calm = await ask(product, questions);
    const wanted = await deployProgram(node, note("wanted"));
    const outcomes = await Promise.all(
      Array.from({ length: BOMBS }, (_, index) =>
        attacker.submit(index % 2 === 0 ? wanted : otherThan(wanted), neverEnding(`Bomb${index}`)),
      ),
    );
    const flooding = new AbortController();
    const junk = (async () => {
      while (!flooding.signal.aborted) {
        await attacker.submit(wanted, "contract Bomb {");
        await sleep(JUNK_PAUSE_MS, flooding.signal);
      }
    })();
    const meanwhile = await ask(product, questions);
    const flooded = await other.verifyAt(wanted, "wanted");
    flooding.abort();
    await junk;
    const ordinary = median(usual.slice(1));
    bench.report({
      title: `A client submits ${BOMBS} compiles that do not end, and junk`,
      figures: [
        { name: "of them accepted", value: outcomes.filter(Boolean).length, unit: "" },
        { name: "another client's verification, usual", value: ordinary, unit: "ms" },
        {
          name: "another client's verification, meanwhile",
          value: flooded,
          unit: "ms",
          goal: `below ${Math.round(2 * ordinary + DEFAULT_LIMITS.timeoutMs)}`,
        },
        {
          name: "other questions, usual, 99th percentile",
          value: quantile(calm, 0.99),
          unit: "ms",
        },
        {
          name: "other questions, meanwhile, 99th percentile",
          value: quantile(meanwhile, 0.99),
          unit: "ms",
          goal: "below twice the usual",
        },
      ],
    });
  } finally {
    await product.stop();
    await database.drop();
    await node.anvil.stop();
  }
}

/** Milliseconds of so many questions of another kind. */
async function ask(product: Product, count: number): Promise<number[]> {
  const client = await openHttpClient(product.url);
  try {
    return await latencies(client.get, count);
  } finally {
    client.close();
  }
}

/** An address without code. */
function otherThan(address: string): string {
  return `0x${address.slice(2, 40)}${address.endsWith("00") ? "11" : "00"}`;
}

/** A client that verifies by Sourcify's dialect. */
function createClient(product: Product, chainId: number, key: string | undefined) {
  const base = `${product.url}/sourcify/v2/verify`;

  async function send(address: string, source: string, name: string): Promise<string | undefined> {
    const input = {
      language: "Solidity",
      sources: { "Note.sol": { content: source } },
      settings: { optimizer: { enabled: true, runs: 200 }, viaIR: name !== "Note" },
    };
    const response = await fetch(`${base}/${chainId}/${address}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { "x-api-key": key }) },
      body: JSON.stringify({
        stdJsonInput: input,
        compilerVersion: VERSION,
        contractIdentifier: `Note.sol:${name}`,
      }),
    });
    const { verificationId } = (await response.json()) as { verificationId?: string };
    return verificationId;
  }

  async function verifyAt(address: string, text: string): Promise<number> {
    const startedAt = performance.now();
    const id = await send(address, note(text).source, "Note");
    for (;;) {
      const response = await fetch(`${base}/${id}`);
      const job = (await response.json()) as { isJobCompleted: boolean; error?: object };
      if (job.error || id === undefined) throw new Error(JSON.stringify(job));
      if (job.isJobCompleted) return performance.now() - startedAt;
    }
  }

  return {
    /** Submits an address without contract; returns whether it was accepted. */
    submit: async (address: string, source: string) => {
      const [, name = "Bomb"] = /contract (\w+)/.exec(source) ?? [];
      return (await send(address, source, name)) !== undefined;
    },
    verifyAt,
    /** Deploys a contract and has it verified; the time from its submission to the pass. */
    verify: async (node: DeploymentChain, text: string) =>
      verifyAt(await deployProgram(node, note(text)), text),
  };
}
