import { keccak256 } from "viem/utils";
import { expect, test } from "vitest";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import type { CreationTrial, TrialOverrides } from "../../../src/chain/state/creations.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import type { VerifiedSource } from "../../../src/verification/engine/verified-source.ts";
import type { OnChainFacts } from "../../../src/verification/jobs/on-chain-facts.ts";
import { proveDeployment, type TrialChain } from "../../../src/verification/jobs/prove.ts";
import type { Trial } from "../../../src/verification/match/trial.ts";
import { addressAt, blockHash, transactionHash, wordAt } from "../../support/build.ts";

// The nodes' answers are scripted here: no development node has the state within a block. The
// attacks on immutables and constructors use a real one, on the state of the parent block.

const CONTRACT = addressAt(1);
const SENDER = addressAt(2);
const [ON_CHAIN, OTHER]: Hex[] = ["0x6001", "0x6002"];

function facts(transactionIndex: number, nonce: bigint | null = 4n): OnChainFacts {
  const runtimeCode = ON_CHAIN as Hex;
  return {
    runtimeCode,
    codeHash: keccak256(runtimeCode),
    block: { number: 9, hash: blockHash(9) },
    creation: {
      blockNumber: 9,
      blockHash: blockHash(9),
      parentHash: blockHash(8),
      timestampSeconds: 1000,
      transactionHash: transactionHash(9),
      transactionIndex,
      codeHash: null,
      creationCode: "0xfe",
      creator: SENDER,
      nonce,
      value: 0n,
    },
  };
}

const source = {
  contractName: "Shop",
  trial: { code: "0x60", endings: ["0x00"], isMadeUp: false },
  compiledRuntime: { code: ON_CHAIN, libraries: [], immutables: [], auxdata: [] },
  proof: {
    construction: "unknown",
    immutables: "unknown",
    values: [],
    runtimeCode: "compiled",
    run: null,
    libraries: [],
  },
} as unknown as VerifiedSource;

/** Where and when a probe finds itself. */
function placeOf({ stateOverride, blockOverrides }: TrialOverrides): Hex {
  const at = stateOverride?.[0]?.nonce === 4 ? CONTRACT : addressAt(3);
  const word = (value: bigint) => wordAt(Number(value));
  return hexConcat(
    `0x${"0".repeat(24)}${at.slice(2)}`,
    word(blockOverrides?.number ?? 8n),
    word(blockOverrides?.time ?? 990n),
  );
}

const isProbe = ({ initCode }: CreationTrial) => initCode.length > 20;

type Script = Partial<TrialChain> & { returned?: (trial: CreationTrial) => Hex | null };

function node({ returned = () => OTHER as Hex, ...script }: Script): TrialChain {
  return {
    runCreations: async (trials, _block, overrides = {}) =>
      trials.map((trial) => (isProbe(trial) ? placeOf(overrides) : returned(trial))),
    traceCreations: async () => {
      throw new NodeError("method-missing", "no debug_traceCall");
    },
    request: async () => "0x1",
    fetchHead: async () => ({ number: 20, hash: blockHash(20) }) as never,
    fetchCodes: async () => ["0xfe"],
    ...script,
  };
}

function traced(code: Hex | null, address = CONTRACT): Pick<TrialChain, "traceCreations"> {
  return {
    traceCreations: async (trials) =>
      trials.map(({ initCode }) =>
        initCode === "0x6000" && code === null ? null : { code: code ?? "0x", address },
      ),
  };
}

const plain = { ...source, proof: { ...source.proof, immutables: null } };
const prove = (chain: TrialChain, at = facts(0), of = source) =>
  proveDeployment(chain, CONTRACT, at, of);
const REFUSED = /Another constructor ran/;

test("what returns the code on chain is proven, where the node gives the state within the block, and on its parent", async () => {
  const proven = { construction: "run", immutables: "run", run: { outcome: "equal" } };
  expect(await prove(node({ returned: () => ON_CHAIN as Hex }))).toMatchObject(proven);
  expect(await prove(node(traced(ON_CHAIN as Hex)), facts(3))).toMatchObject(proven);
});

test("what returns other code in its own place is refused", async () => {
  await expect(prove(node({}))).rejects.toThrow(REFUSED);
  await expect(prove(node(traced(OTHER as Hex)), facts(3))).rejects.toThrow(REFUSED);
  // A constructor that fails where it must have succeeded has not run.
  await expect(prove(node({ returned: () => null }))).rejects.toThrow(REFUSED);
});

test("a node that passes over the transaction within the block is not believed", async () => {
  const deaf = { ...traced(OTHER as Hex, addressAt(5)), returned: () => ON_CHAIN as Hex };
  expect(await prove(node(deaf), facts(3))).toMatchObject({ construction: "run" });
});

test("what fails, or is not reached, on the state of the parent block may have been within its block: immutables are refused", async () => {
  await expect(prove(node({ returned: () => null }), facts(3))).rejects.toThrow(
    /fails where it is/,
  );
  await expect(prove(node({}), facts(3))).rejects.toThrow(REFUSED);
  await expect(prove(node({}), facts(0, null))).rejects.toThrow(REFUSED);
  expect(await prove(node({}), facts(0, null), plain)).toMatchObject({
    run: { outcome: "not-run" },
  });
  const failing = node({ returned: () => null });
  expect(await prove(failing, facts(3), plain)).toMatchObject({ construction: "unknown" });
});

test("immutables that a run returns only with other gas, or without a price of it, are refused", async () => {
  const free = ({ gasPrice }: CreationTrial) => (gasPrice === undefined ? ON_CHAIN : OTHER) as Hex;
  await expect(prove(node({ returned: free }))).rejects.toThrow(/only with other gas/);
  await expect(prove(node({ returned: free }), facts(0, null))).rejects.toThrow(
    /only with other gas/,
  );
  const bound = 2n ** 22n;
  const rich = ({ gas = bound }: CreationTrial) => (gas < bound ? OTHER : ON_CHAIN) as Hex;
  await expect(prove(node({ returned: rich }))).rejects.toThrow(/only with other gas/);
  // Less gas than it needs proves nothing.
  const needy = ({ gas = bound }: CreationTrial) => (gas < bound ? null : (ON_CHAIN as Hex));
  expect(await prove(node({ returned: needy }))).toMatchObject({ immutables: "run" });
});

test("made-up arguments prove the immutables and not what the constructor did", async () => {
  const trial: Trial = { code: "0x60", endings: ["0x01", "0x00"], isMadeUp: true };
  const madeUp = { ...source, trial };
  const here = node({ returned: () => ON_CHAIN as Hex });
  expect(await prove(here, facts(0), madeUp)).toMatchObject({
    construction: "unknown",
    immutables: "run",
    run: { outcome: "equal", reason: expect.stringContaining("one of 2 sets") },
  });
  await expect(prove(node({}), facts(0), madeUp)).rejects.toThrow(/2 sets of made-up/);
});

test("without any arguments to run it with, immutables are refused", async () => {
  const trial: Trial = { code: "0x60", endings: [], isMadeUp: true };
  await expect(prove(node({}), facts(0), { ...source, trial })).rejects.toThrow(REFUSED);
  expect(await prove(node({}), facts(0), { ...plain, trial })).toMatchObject({ immutables: null });
});

test("where the node has no state of that time, the head's must do", async () => {
  const returned = () => ON_CHAIN as Hex;
  const now = node({ returned });
  const runCreations: TrialChain["runCreations"] = (trials, block, ...rest) => {
    if (block.number < 20) throw new NodeError("state-unavailable", "missing trie node");
    return now.runCreations(trials, block, ...rest);
  };
  expect(await prove({ ...now, runCreations })).toMatchObject({
    construction: "unknown",
    run: { reason: expect.stringContaining("later state") },
  });
});

test.each(["method-missing", "invalid-request", "state-unavailable"] as const)(
  "a node that cannot (%s) leaves it unproven",
  async (code) => {
    const runCreations = async () => {
      throw new NodeError(code, "no");
    };
    expect(await prove(node({ runCreations }))).toMatchObject({
      construction: "unknown",
      run: { outcome: "not-run", reason: "The node cannot run it." },
    });
  },
);

test("a node that does not answer now leaves the verification for later", async () => {
  const runCreations = async () => {
    throw new NodeError("unreachable", "away");
  };
  await expect(prove(node({ runCreations }))).rejects.toMatchObject({ failure: { code: "node" } });
});
