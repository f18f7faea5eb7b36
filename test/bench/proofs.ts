import path from "node:path";
import { wordOfAddress } from "../../src/core/evm/address.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { TRANSFER, word } from "../support/scripted-node/ledger.ts";
import { signer } from "../support/scripted-node/provable.ts";
import type { BlockSpecification } from "../support/scripted-node/specification.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import type { Bench } from "./bench.ts";
import { isServed, until } from "./indexing.ts";
import { startProduct } from "./measure/product.ts";
import { cpuSeconds } from "./measure/usage.ts";

const TRANSACTIONS = 100;
/** Each way is measured so often, in turns. */
const TURNS = 3;

/** A first load of blocks with real hashes, roots and signatures, with their proofs and without. */
export async function benchProofs(bench: Bench, blocks: number | undefined): Promise<void> {
  const count = blocks ?? (bench.quick ? 10 : 300);
  bench.say(`making a chain of ${count} blocks that can be proven`);
  const chain = new ScriptedChain({ chainId: 1, provable: true });
  for (let number = 0; number < count; number++) chain.mine(block(number));
  const node = await startScriptedNode({ chain });
  const loads = { auto: [] as Load[], off: [] as Load[] };
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      for (const proofs of ["auto", "off"] as const) {
        bench.say(`indexing it, proofs ${proofs}`);
        loads[proofs].push(await load(bench, node, proofs));
      }
    }
  } finally {
    await node.stop();
  }
  const ratio = (measure: keyof Load): number =>
    least(loads.auto, measure) / least(loads.off, measure);
  bench.report({
    title: `First load of ${count} blocks of ${TRANSACTIONS} transactions, with proofs and without`,
    figures: [
      { name: "time, with proofs", value: least(loads.auto, "seconds"), unit: "s" },
      { name: "time, without", value: least(loads.off, "seconds"), unit: "s" },
      { name: "time, with by without", value: ratio("seconds"), unit: "" },
      { name: "CPU of Periscope, with proofs", value: least(loads.auto, "cpuSeconds"), unit: "s" },
      { name: "CPU of Periscope, without", value: least(loads.off, "cpuSeconds"), unit: "s" },
      { name: "CPU of Periscope, with by without", value: ratio("cpuSeconds"), unit: "" },
    ],
  });
}

interface Load {
  seconds: number;
  cpuSeconds: number;
}

/** The minimum of several runs: other load on the machine only adds to it. */
function least(loads: readonly Load[], measure: keyof Load): number {
  return Math.min(...loads.map((one) => one[measure]));
}

async function load(bench: Bench, node: ScriptedNode, proofs: "auto" | "off"): Promise<Load> {
  const database = await bench.server.create("proofs");
  node.requests.length = 0;
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      RPC_URL: node.url,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      FINALITY_DEPTH: "0",
      TRACES: "off",
      PROOFS: proofs,
    },
  });
  try {
    await until(async () => node.requests.length > 0);
    const startedAt = performance.now();
    const before = await cpuSeconds(product.pid);
    await until(() => isServed(database.sql, node.chain.height));
    return {
      seconds: (performance.now() - startedAt) / 1_000,
      cpuSeconds: (await cpuSeconds(product.pid)) - before,
    };
  } finally {
    await product.stop();
    await database.drop();
  }
}

/** Transfers of a token by signed transactions. */
function block(number: number): BlockSpecification {
  const token = scriptedAddress("token");
  const transactions = Array.from({ length: TRANSACTIONS }, (_, index) => {
    const from = signer(`sender ${index % 10}`);
    const topics = [TRANSFER, wordOfAddress(from), wordOfAddress(scriptedAddress(`${index}`))];
    const log = { address: token, topics, data: word(number + 1) };
    return { from, to: token, logs: [log, log] };
  });
  return { transactions, salt: String(number) };
}
