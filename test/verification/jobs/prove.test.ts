import { keccak256 } from "viem/utils";
import { expect, test } from "vitest";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import type { CreationTrial, TrialOverrides } from "../../../src/chain/state/creations.ts";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import type { VerifiedSource } from "../../../src/verification/engine/verified-source.ts";
import type { OnChainFacts } from "../../../src/verification/jobs/on-chain-facts.ts";
import { proveDeployment, type TrialChain } from "../../../src/verification/jobs/prove.ts";
import { addressAt, blockHash, transactionHash, wordAt } from "../../support/build.ts";

// What nodes answer is scripted here: no development node gives the state within a block. With a real one, on the state
// of the parent block, the attacks on immutables and constructors are tried.

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
  trial: ["0x6000"],
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

type Script = Partial<TrialChain> & { returned?: (trial: CreationTrial) => Hex | null };

function node({ returned = () => OTHER as Hex, ...script }: Script): TrialChain {
  return {
    runCreations: async (trials, _block, overrides = {}) =>
      trials.map((trial) => (trial.initCode === "0x6000" ? returned(trial) : placeOf(overrides))),
    traceCreations: async () => {
      throw new NodeError("method-missing", "no debug_traceCall");
    },
    request: async () => "0x1",
    ...script,
  };
}

function traced(code: Hex, address = CONTRACT): Pick<TrialChain, "traceCreations"> {
  return { traceCreations: async () => [{ code, address }] };
}

const prove = (chain: TrialChain, at = facts(0)) => proveDeployment(chain, CONTRACT, at, source);
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

test("what fails on the state of the parent block may have succeeded within its block", async () => {
  expect(await prove(node({ returned: () => null }), facts(3))).toMatchObject({
    construction: "unknown",
    run: { outcome: "not-run" },
  });
});

test("in other context than its own only what two runs agree on counts", async () => {
  const bySender = (trial: CreationTrial): Hex => (trial.from === SENDER ? "0x6003" : "0x6004");
  const blind = node({ returned: bySender });
  const runCreations: TrialChain["runCreations"] = (trials, block) =>
    blind.runCreations(trials, block, {});
  expect(await prove({ ...blind, runCreations })).toMatchObject({ construction: "unknown" });
  const factory = facts(0, null);
  expect(await prove(blind, factory)).toMatchObject({ immutables: "unknown" });
  await expect(prove(node({}), factory)).rejects.toThrow(REFUSED);
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
