import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Address, encodeFunctionData, type Hex } from "viem";
import { sleep } from "../../src/core/async.ts";
import { startAnvil } from "../support/anvil.ts";
import { compileContracts } from "../support/world/compile.ts";
import { createStage, type Stage } from "../support/world/stage.ts";
import type { Bench } from "./bench.ts";
import { type HttpClient, openHttpClient } from "./measure/http-client.ts";
import { startProduct } from "./measure/product.ts";
import { median, quantile } from "./measure/statistics.ts";

const GAS = 1_000_000_000n;
const POLL_INTERVAL_MS = 50;
const BLOCK_INTERVAL_MS = 1_000;
const GIVEN_AT_ONCE = 500;
const MADE_AT_ONCE = 100;
const FIRST_HOLDER = 0x20n << 152n;
const LOOK_INTERVAL_MS = 2;

type Named = Record<"Rebasing" | "Spammer", Address>;

/**
 * Measures the head of a chain on which each block sends a coin, rebases a token of many holders, or has many spam tokens log
 * something odd: from the block at the node to the block in the API, and requests to the node.
 */
export async function benchTokens(bench: Bench): Promise<void> {
  const [holders, spams, blocks] = bench.quick ? [1_000, 100, 5] : [10_000, 1_000, 40];
  const contracts = compileContracts(new URL("contracts/", import.meta.url));
  const anvil = await startAnvil(["--gas-limit", String(2n * GAS)]);
  const proxy = await startCountingProxy(anvil.url);
  const database = await bench.server.create("tokens");
  const stage = await createStage(anvil.url);
  const [from = "0x", visitor = "0x"] = stage.accounts;
  const callOf = (name: keyof Named, functionName: string, ...args: unknown[]): Hex => {
    const abi = contracts[name]?.abi ?? [];
    return encodeFunctionData({ abi, functionName, args });
  };
  const send = (to: Address, data: Hex) => stage.send({ from, to, data, gas: GAS });

  bench.say(`making a token of ${holders} holders and ${spams} spam tokens`);
  const named = await deployAll();
  for (let given = 0; given < holders; given += GIVEN_AT_ONCE) {
    const first = FIRST_HOLDER + BigInt(given);
    send(named.Rebasing, callOf("Rebasing", "give", first, BigInt(GIVEN_AT_ONCE)));
    await stage.mine();
  }
  for (let made = 0; made < spams; made += MADE_AT_ONCE) {
    send(named.Spammer, callOf("Spammer", "make", BigInt(MADE_AT_ONCE)));
    await stage.mine();
  }
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      RPC_URL: proxy.url,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      POLL_INTERVAL_MS: String(POLL_INTERVAL_MS),
    },
  });
  const client = await openHttpClient(product.url);
  const scenarios: Record<string, () => void> = {
    "a coin is sent": () => stage.send({ from, to: visitor, value: 1n }),
    [`a token of ${holders} holders is rebased`]: () =>
      send(named.Rebasing, callOf("Rebasing", "rebase")),
    [`${spams} spam tokens log`]: () => send(named.Spammer, callOf("Spammer", "pokeAll", visitor)),
    "a coin is sent, afterwards": () => stage.send({ from, to: visitor, value: 1n }),
  };
  try {
    await untilServed(client, await stage.rpc.request("eth_blockNumber"));
    const rows = [];
    for (const [name, act] of Object.entries(scenarios)) {
      bench.say(`mining ${blocks} blocks in which ${name}`);
      rows.push({ name, values: await measure(act) });
    }
    bench.report({
      title: "Heads with odd tokens",
      columns: [
        { name: "block to API, median", unit: "ms" },
        { name: "90th percentile", unit: "ms" },
        { name: "calls of contracts a block", unit: "" },
        { name: "bytes sent to the node a block", unit: "" },
      ],
      rows,
    });
  } finally {
    client.close();
    await product.stop();
    await proxy.stop();
    await anvil.stop();
  }

  async function deployAll(): Promise<Named> {
    const addresses: Partial<Named> = {};
    for (const name of ["Rebasing", "Spammer"] as const) {
      stage.send({ from, data: contracts[name]?.creationCode ?? "0x", gas: GAS });
      const [receipt] = await stage.mine();
      addresses[name] = receipt?.contractAddress as Address;
    }
    return addresses as Named;
  }

  async function measure(act: () => void): Promise<number[]> {
    const latencies: number[] = [];
    proxy.reset();
    for (let block = 0; block < blocks; block++) {
      const began = performance.now();
      act();
      const mined = await mineTimed(stage);
      await untilServed(client, await stage.rpc.request("eth_blockNumber"));
      latencies.push(performance.now() - mined);
      await sleep(Math.max(0, BLOCK_INTERVAL_MS - (performance.now() - began)));
    }
    const { calls, bytes } = proxy.counted;
    return [median(latencies), quantile(latencies, 0.9), calls / blocks, bytes / blocks];
  }
}

/** Mines, and returns when the block was there. */
async function mineTimed(stage: Stage): Promise<number> {
  const [receipt] = await stage.mine();
  if (receipt?.status !== "0x1") throw new Error("the transaction failed");
  return performance.now();
}

async function untilServed(client: HttpClient, number: Hex): Promise<void> {
  while (true) {
    const body = await client.get("/api?module=block&action=eth_block_number");
    const { result } = JSON.parse(body.toString()) as { result: string | null };
    if (result !== null && Number(result) >= Number(number)) return;
    await sleep(LOOK_INTERVAL_MS);
  }
}

/** Passes requests on to a node, and counts calls of contracts and the bytes of requests. */
async function startCountingProxy(target: string) {
  const counted = { calls: 0, bytes: 0 };
  const { port, hostname } = new URL(target);
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    counted.bytes += body.length;
    counted.calls += body.toString("latin1").split('"eth_call"').length - 1;
    const headers = { "content-type": "application/json", "content-length": body.length };
    const passed = http.request({ hostname, port, method: "POST", agent, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { "content-type": "application/json" });
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    passed.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counted,
    reset: () => Object.assign(counted, { calls: 0, bytes: 0 }),
    async stop() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
