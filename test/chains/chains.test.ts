import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { type DevelopmentNode, startAnvil } from "../support/anvil.ts";
import { randomRequest } from "../support/brute-force/random-requests.ts";
import type { WireRequest } from "../support/brute-force/wire.ts";
import { type ChainsFile, createChainsFile } from "../support/chains-file.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startHardhat2 } from "../support/hardhat-2.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader, type Oracle } from "../support/oracle/oracle.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import { createRandom, type Random } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";

/** Three chains in one process: one of anvil with traces, one of Hardhat 2 and a scripted one without. */
const SEED = Number(process.env["CHAINS_SEED"] ?? 1);
/** Random acts on each chain, and random requests over all of them. */
const ACTS = Number(process.env["CHAINS_ACTS"] ?? 24);
const REQUESTS = Number(process.env["CHAINS_REQUESTS"] ?? 3000);
const PATIENCE = { timeout: 300_000, interval: 250 };
const TRACERS = [
  "debug_traceBlockByNumber",
  "debug_traceBlockByHash",
  "debug_traceTransaction",
  "trace_block",
];

interface Chain {
  id: number;
  schema: string;
  rpcUrl: string;
  /** Does one thing to the chain. */
  act(random: Random): Promise<void>;
  /** Tokens whose amounts only the contract knows. */
  silentTokens: readonly string[];
}

let database: TestDatabase;
/** Anvil and Hardhat 2. */
let devnets: DevelopmentNode[];
let scripted: ScriptedNode;
let chains: Chain[];
let file: ChainsFile;
const running: Periscope[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const [anvil, hardhat] = await Promise.all([startAnvil(), startHardhat2(31_338)]);
  devnets = [anvil, hardhat];
  const worlds = await Promise.all(devnets.map(({ url }) => deployWorld(url)));
  scripted = await startScriptedNode({
    chain: new ScriptedChain({ chainId: 1001 }),
    without: TRACERS,
  });
  chains = [
    anvilChain(31_337, anvil.url, worlds[0] as World),
    hardhatChain(31_338, hardhat.url, worlds[1] as World),
    scriptedChain(scripted),
  ];
  file = createChainsFile(
    chains.map(({ id, schema, rpcUrl }) => ({
      CHAIN_ID: id,
      DATABASE_SCHEMA: schema,
      RPC_URL: rpcUrl,
      ALLOW_RESET: 1,
    })),
  );
});
afterAll(async () => {
  await Promise.all(running.map((periscope) => periscope.end("SIGKILL")));
  await database.drop();
  await Promise.all([...devnets.map((node) => node.stop()), scripted.stop()]);
  file.remove();
});

function anvilChain(id: number, rpcUrl: string, world: World): Chain {
  const rpc = createJsonRpc(rpcUrl);
  return {
    id,
    schema: `chain_${id}`,
    rpcUrl,
    silentTokens: world.silentTokens,
    act: async (random) => {
      if (random.chance(0.4)) {
        const head = Number(await rpc.request<string>("eth_blockNumber"));
        await rpc.request("anvil_reorg", 1 + random.integer(Math.min(head, 8)), []);
      }
      await world.step(random);
    },
  };
}

/** Goes back to one of its snapshots now and then. */
function hardhatChain(id: number, rpcUrl: string, world: World): Chain {
  const rpc = createJsonRpc(rpcUrl);
  let snapshots: string[] = [];
  return {
    id,
    schema: `chain_${id}`,
    rpcUrl,
    silentTokens: world.silentTokens,
    act: async (random) => {
      const back = snapshots.length - 1 - random.integer(4);
      const snapshot = random.chance(0.4) ? snapshots[back] : undefined;
      if (snapshot !== undefined) {
        await rpc.request("evm_revert", snapshot);
        snapshots = snapshots.slice(0, back);
      }
      snapshots.push(await rpc.request<string>("evm_snapshot"));
      await world.step(random);
    },
  };
}

function scriptedChain({ chain, url }: ScriptedNode): Chain {
  return {
    id: chain.chainId,
    schema: `chain_${chain.chainId}`,
    rpcUrl: url,
    silentTokens: [],
    act: async (random) => {
      const blocks = [{ transactions: [{}, {}] }, 1, { transactions: [{}] }];
      if (chain.height > 4 && random.chance(0.4)) chain.reorg(1 + random.integer(4), ...blocks);
      else chain.mine(...blocks);
    },
  };
}

/** Starts a process; gives the URL that it listens at. */
async function start(settings: Record<string, string>): Promise<string> {
  const periscope = startPeriscope({ DATABASE_URL: database.url, ...settings });
  running.push(periscope);
  const listening = await vi.waitUntil(
    () => /Server listening at (http:\S+)/.exec(periscope.messages().join("\n")),
    PATIENCE,
  );
  return listening[1] ?? "";
}

/** The answer of a request, as bytes, with its head's state. */
async function answer(base: string, { dialect, parameters }: WireRequest): Promise<unknown> {
  const path = dialect === "blockscout" ? "/api" : "/v2/api";
  const response = await fetch(`${base}${path}?${new URLSearchParams(parameters)}`);
  return [response.status, response.headers.get("x-periscope-block"), await response.text()];
}

test(`three chains that are reorganised at random are each what a process of their own serves (seed ${SEED})`, async () => {
  const url = await start({ CHAINS_FILE: file.path });
  const random = createRandom(SEED);
  for (let act = 0; act < ACTS; act++) await Promise.all(chains.map((chain) => chain.act(random)));

  const oracles: Oracle[] = [];
  const alone: string[] = [];
  for (const { id, schema, rpcUrl } of chains) {
    const oracle = await createOracleReader(rpcUrl).read();
    oracles.push(oracle);
    const sql = createSql(database.url, { schema, connections: 2 });
    await expect
      .poll(() => compareDatabase(sql, oracle).catch((error) => [String(error)]), PATIENCE)
      .toEqual([]);
    await sql.end();
    alone.push(
      await start({ ROLE: "api", RPC_URL: rpcUrl, DATABASE_SCHEMA: schema, CHAIN_ID: String(id) }),
    );
  }

  for (let count = 0; count < REQUESTS; count++) {
    const index = random.integer(chains.length);
    // The scripted chain has not everything that a request may name: it is asked about another's.
    const [chain, oracle] = [chains[index], oracles[index % devnets.length]];
    if (!chain || !oracle) continue;
    const { silentTokens } = chain;
    const request = randomRequest({ oracle, random, silentTokens });
    const [prefixed, expected] = await Promise.all([
      answer(`${url}/${chain.id}`, request),
      answer(alone[index] ?? "", request),
    ]);
    expect(prefixed, JSON.stringify(request)).toEqual(expected);
    if (request.dialect === "blockscout") continue;
    const byId = { ...request, parameters: { ...request.parameters, chainid: String(chain.id) } };
    expect(await answer(url, byId), JSON.stringify(byId)).toEqual(
      await answer(alone[index] ?? "", byId),
    );
  }
});
