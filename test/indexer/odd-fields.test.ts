import { expect, test } from "vitest";
import { Retry } from "../../src/chain/retry.ts";
import { wordOfAddress } from "../../src/core/evm/address.ts";
import { validateBlock } from "../../src/indexer/checks/validate.ts";
import { decodeBlocks } from "../../src/indexer/decode/block.ts";
import { encodeChainRows } from "../../src/store/writer/chain.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { lie } from "../support/scripted-node/faults.ts";
import { TRANSFER, word } from "../support/scripted-node/ledger.ts";
import { openChain, openNode } from "../support/test-chain.ts";

// Each field of a block's answers in other spellings, and left out. Whatever its meaning leaves no doubt about gives the same
// rows; a field that is left out stops the block only where nothing else says which block, transaction or call it is.

type Path = readonly string[];

/** Other spellings of one value. */
const SPELLINGS: Readonly<Record<string, (value: unknown) => unknown>> = {
  "leading zeros": (value) => (isQuantityText(value) ? `0x00${value.slice(2)}` : value),
  "no digits": (value) => (value === "0x0" ? "0x" : value),
  "a JSON number": (value) => (isQuantityText(value) ? Number(value) : value),
  "upper case": (value) => (isHexText(value) ? `0x${value.slice(2).toUpperCase()}` : value),
  "an unknown field": (value) =>
    isObject(value) ? { ...value, unheardOf: [{ a: "0x1" }] } : value,
};
const OMISSIONS: Readonly<Record<string, () => unknown>> = {
  "left out": () => undefined,
  null: () => null,
};
/** Another spelling of these is another value: they are compared, asked for, kept as they are, or bytes of any length. */
const EXACT =
  /^(?:number|timestamp|hash|parentHash|transactionHash|txHash|uncles\.\d|r|s|maxFeePerBlobGas|blobVersionedHashes\.\d|output|code|transactionPosition|traceAddress.*)$/;
/** Stops the block, since nothing else says it. */
const NEEDED =
  /^(?:number|timestamp|hash|parentHash|from|gasUsed|transactions(?:\.\d)?|(?:un|withdraw|cal|lo)\w*\.\d|topics\.\d|index|validatorIndex|address|amount|logIndex|miner|type|action|traceAddress(?:\.\d)?|transactionPosition|\d)$/;
/** Where one of these is left out, there is none. */
const NONE =
  /^(?:size|difficulty|baseFeePerGas|type|to|[rsv]|yParity|max\w+|accessList|blobVersionedHashes(?:\.\d)?|authorizationList|uncles|withdrawals|status|calls|value|gas|gasUsed|output|error|result|code|address)$/;

function isHexText(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]*$/.test(value);
}

function isQuantityText(value: unknown): value is string {
  return isHexText(value) && value.length > 2 && value.length < 16;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The places of all fields of an answer, one of those that differ in their place in a list only. */
function pathsIn(answer: unknown): Path[] {
  const found = new Map<string, Path>();
  const walk = (value: unknown, path: Path): void => {
    if (path.length > 0) found.set(path.join(".").replace(/\d+/g, "0"), path);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(answer, []);
  return [...found.values()];
}

function nameOf(path: Path): string {
  const last = path.at(-1) as string;
  return /^\d+$/.test(last) && path.length > 1 ? `${path.at(-2)}.${last}` : last;
}

function withChange(
  answer: unknown,
  [key, ...rest]: Path,
  change: (old: unknown) => unknown,
): unknown {
  if (key === undefined) return change(answer);
  const copy = (Array.isArray(answer) ? [...answer] : { ...(answer as object) }) as Record<
    string,
    unknown
  >;
  copy[key] = withChange(copy[key], rest, change);
  return copy;
}

const [ann, bob] = ["ann", "bob"].map(scriptedAddress) as [`0x${string}`, `0x${string}`];

test.each([
  ["debug_traceBlockByHash", []],
  ["trace_block", ["debug_"]],
])("fields in another spelling, or left out: %s", { timeout: 60_000 }, async (tracer, without) => {
  const node = await openNode({ without });
  const inner = [{ from: bob, type: "CREATE", to: ann, output: "0x60" }] as const;
  const topics = [TRANSFER, wordOfAddress(ann), wordOfAddress(bob)];
  node.chain.mine({
    transactions: [
      {
        calls: [{ from: ann, to: bob, valueWei: 5n, calls: inner }],
        logs: [{ address: ann, topics, data: word(7) }],
      },
      { to: null, output: "0x60", type: 0 },
      { type: 1 },
      { type: 3 },
      { type: 4 },
      { error: "execution reverted" },
    ],
    withdrawals: [{ address: ann, amountGwei: 3 }],
    uncles: [{ miner: ann, distance: 1 }],
  });
  const { chain, stop } = openChain([node]);
  const read = async () => {
    const retry = new Retry(stop.signal, { attempts: 1 });
    const [fetched] = (await chain.fetchBlocks([1], { retry })).blocks;
    if (!fetched) throw new Error("no block");
    const findings = validateBlock(1, fetched).length;
    const tables = [...encodeChainRows(decodeBlocks([fetched]))];
    return {
      findings,
      rows: tables.map(([name, { document }]) => `${name} ${document.toString("hex")}`),
    };
  };
  const answers = new Map<string, unknown>();
  await read();
  const note = node.fail({
    effect: lie((result, { method }) => {
      answers.set(method, structuredClone(result));
      return result;
    }),
  });
  const right = await read();
  note();
  expect([...answers.keys()]).toContain(tracer);
  const wrong: string[] = [];
  for (const [method, answer] of answers) {
    for (const path of pathsIn(answer)) {
      const name = nameOf(path);
      for (const [change, of] of Object.entries({ ...SPELLINGS, ...OMISSIONS })) {
        const isLeftOut = change in OMISSIONS;
        const other = withChange(answer, path, of);
        if (!isLeftOut && (EXACT.test(name) || JSON.stringify(other) === JSON.stringify(answer)))
          continue;
        const healed = node.fail({ method, effect: lie(() => other) });
        const got = await read().catch((error: Error) => error);
        healed();
        const isSame = !(got instanceof Error) && got.rows.join() === right.rows.join();
        const isFair =
          got instanceof Error ? NEEDED.test(name) : got.findings > 0 || NONE.test(name);
        if (!isSame && !(isLeftOut && isFair))
          wrong.push(
            `${method} ${path.join(".")} ${change}: ${got instanceof Error ? got.message : "other rows"}`,
          );
      }
    }
  }
  expect(wrong).toEqual([]);
});
