import { getContractAddress, keccak256 } from "viem/utils";
import { expect, test } from "vitest";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import type { CreationTrial } from "../../../src/chain/state/creations.ts";
import { lowerAddress } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import type { VerifiedSource } from "../../../src/verification/engine/verified-source.ts";
import type { OnChainFacts } from "../../../src/verification/jobs/on-chain-facts.ts";
import { proveDeployment } from "../../../src/verification/jobs/prove.ts";
import type { TrialChain } from "../../../src/verification/jobs/trial-settings.ts";
import type { Trial } from "../../../src/verification/match/similar.ts";
import { addressAt, blockHash, transactionHash } from "../../support/build.ts";

// The nodes' answers are scripted here: no development node has the state within a block. The
// attacks on immutables and constructors use a real one, on the state of the parent block.

const SENDER = addressAt(2);
const CONTRACT = lowerAddress(getContractAddress({ from: SENDER, nonce: 4n }));
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
  trial: { code: "0x60", endings: ["0x00"], isMadeUp: false, asks: [] },
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

const BLOCK = {
  miner: SENDER,
  gasLimit: "0xffffff",
  mixHash: transactionHash(3),
  baseFeePerGas: "0x2",
};
const SENT = { from: SENDER, nonce: "0x4", gas: "0xfffff", gasPrice: "0x3" };

const ENDING = "60005260206000f3";
/** What a node gives to init code that returns the result of an instruction. */
const RESULTS: Record<string, bigint> = {
  "30": BigInt(CONTRACT),
  "32": BigInt(SENDER),
  "33": BigInt(SENDER),
  "3a": 3n,
  "43": 9n,
  "6001430340": BigInt(blockHash(8)),
};

type Script = Partial<TrialChain> & {
  returned?: (trial: CreationTrial) => Hex | null;
  results?: Record<string, bigint>;
};

function node({ returned = () => OTHER as Hex, results = {}, ...script }: Script): TrialChain {
  return {
    runCreations: async (trials) =>
      trials.map((trial) => {
        const asked = trial.initCode.slice(2, -ENDING.length);
        return trial.initCode.endsWith(ENDING)
          ? toHex({ ...RESULTS, ...results }[asked] ?? 0n)
          : returned(trial);
      }),
    traceCreations: async () => {
      throw new NodeError("method-missing", "no debug_traceCall");
    },
    request: async (method) =>
      ({
        eth_getTransactionByBlockHashAndIndex: SENT,
        eth_getBlockByHash: BLOCK,
        eth_getCode: "0x60",
      })[method] ?? "0x1",
    fetchHead: async () => ({ number: 20, hash: blockHash(20) }) as never,
    fetchCoinBalances: async () => [0n],
    ...script,
  };
}

function toHex(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** A node that gives the state within the block, or that after it, where the sender makes contracts elsewhere. */
function traced(code: Hex | null, address = getContractAddress({ from: SENDER, nonce: 4n })) {
  const results = { "30": BigInt(address) };
  const { runCreations } = node({ returned: () => code, results });
  return { traceCreations: runCreations as unknown as TrialChain["traceCreations"] };
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
  const failing = node({ returned: () => null });
  expect(await prove(failing, facts(3), plain)).toMatchObject({ construction: "unknown" });
});

const asking = (...asks: Trial["asks"]) => ({
  ...source,
  trial: { ...(source.trial as Trial), asks },
});

test("where an instruction of the constructor gives something else than it gave, nothing is proven", async () => {
  const returned = () => ON_CHAIN as Hex;
  const proven = { immutables: "run" };
  const late = node({ returned, results: { "43": 8n } });
  expect(await prove(late, facts(0), asking("CALLER"))).toMatchObject(proven);
  await expect(prove(late, facts(0), asking("NUMBER"))).rejects.toThrow(/as it was/);
  const free = node({ returned, results: { "3a": 0n } });
  await expect(prove(free, facts(0), asking("GASPRICE"))).rejects.toThrow(/as it was/);
  // A factory's code is another one while it runs creations of ours.
  const exact = node({ returned });
  expect(await prove(exact, facts(0, null), asking("ORIGIN"))).toMatchObject(proven);
  expect(await prove(exact, facts(0, null), asking("EXTCODESIZE"))).toMatchObject(proven);
  await expect(prove(exact, facts(0, null), asking("EXTCODESIZE", "BALANCE"))).rejects.toThrow(
    /as it was/,
  );
  const unproven = { ...asking("NUMBER"), proof: { ...source.proof, immutables: null } };
  expect(await prove(late, facts(0), unproven)).toMatchObject({
    construction: "unknown",
    run: { outcome: "not-run" },
  });
});

test("immutables that a run returns only with other gas are refused", async () => {
  const bound = 2n ** 22n;
  const rich = ({ gas = bound }: CreationTrial) => (gas < bound ? OTHER : ON_CHAIN) as Hex;
  await expect(prove(node({ returned: rich }))).rejects.toThrow(/only with other gas/);
  // Less gas than it needs proves nothing.
  const needy = ({ gas = bound }: CreationTrial) => (gas < bound ? null : (ON_CHAIN as Hex));
  expect(await prove(node({ returned: needy }))).toMatchObject({ immutables: "run" });
});

test("a node that refuses fields of the block that it does not know runs them with the others", async () => {
  const { runCreations, ...others } = node({ returned: () => ON_CHAIN as Hex });
  const strict: TrialChain["runCreations"] = (trials, block, fields = {}, options) =>
    "blockHash" in fields || "gasLimit" in fields
      ? Promise.reject(new NodeError("invalid-request", "unknown field"))
      : runCreations(trials, block, fields, options);
  expect(await prove({ ...others, runCreations: strict })).toMatchObject({ immutables: "run" });
});

test("a node that runs creations at no price runs them without one, and proves nothing that asks for it", async () => {
  const { runCreations, ...others } = node({
    returned: () => ON_CHAIN as Hex,
    results: { "3a": 0n },
  });
  const refusals: TrialChain["runCreations"][] = [
    async (trials) => trials.map(() => null),
    () => Promise.reject(new NodeError("invalid-request", "fee below the block's")),
  ];
  for (const refused of refusals) {
    const free: TrialChain["runCreations"] = (trials, ...rest) =>
      (trials.some(({ gasPrice }) => gasPrice !== undefined) ? refused : runCreations)(
        trials,
        ...rest,
      );
    const chain = { ...others, runCreations: free };
    expect(await prove(chain)).toMatchObject({ immutables: "run" });
    await expect(prove(chain, facts(0), asking("GASPRICE"))).rejects.toThrow(/as it was/);
  }
});

test("immutables of a constructor that a node fails to run, while it runs others, are refused", async () => {
  const returned = () => {
    throw new NodeError("response-too-large", "too large");
  };
  await expect(prove(node({ returned }))).rejects.toThrow(/The node cannot run it/);
  expect(await prove(node({ returned }), facts(0), plain)).toMatchObject({
    run: { outcome: "not-run" },
  });
});

test("made-up arguments prove the immutables and not what the constructor did", async () => {
  const trial: Trial = { code: "0x60", endings: ["0x01", "0x00"], isMadeUp: true, asks: [] };
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
  const trial: Trial = { code: "0x60", endings: [], isMadeUp: true, asks: [] };
  await expect(prove(node({}), facts(0), { ...source, trial })).rejects.toThrow(REFUSED);
  expect(await prove(node({}), facts(0), { ...plain, trial })).toMatchObject({ immutables: null });
});

/** A node that has no state of the time of the creation. */
function pruned(script: Script): TrialChain {
  const now = node(script);
  const refuse = () => {
    throw new NodeError("state-unavailable", "missing trie node");
  };
  return {
    ...now,
    runCreations: async (trials, block, ...rest) =>
      block.number < 20 ? refuse() : now.runCreations(trials, block, ...rest),
    request: async (method, ...rest) =>
      /^eth_get(?:TransactionCount|Code)$/.test(method) ? refuse() : now.request(method, ...rest),
  };
}

test("where the node has no state of that time, the head's must do", async () => {
  const returned = () => ON_CHAIN as Hex;
  for (const nonce of [4n, null]) {
    expect(await prove(pruned({ returned }), facts(0, nonce))).toMatchObject({
      construction: "unknown",
      run: { reason: expect.stringContaining("later state") },
    });
    // A factory's nonce is not known either: it must not pass for a node that runs nothing.
    await expect(prove(pruned({}), facts(0, nonce))).rejects.toThrow(REFUSED);
  }
});

test("on the state before, the contract has neither code nor storage of a life that ended in its block", async () => {
  const seen: CreationTrial[] = [];
  const returned = (trial: CreationTrial) => {
    seen.push(trial);
    return ON_CHAIN as Hex;
  };
  for (const address of [CONTRACT, addressAt(7)]) {
    await proveDeployment(node({ returned }), address, facts(1, null), source);
    for (const { initCode, stateOverride } of seen.splice(0)) {
      // Made by CREATE2, the init code runs as the code of the address.
      const code = initCode === "0x" ? expect.any(String) : "0x";
      expect(stateOverride?.[address]).toMatchObject({ code, state: {} });
      expect(stateOverride?.[address]).not.toHaveProperty("balance");
    }
  }
});

test("on a later state the contract has neither the storage nor the coins that it got since", async () => {
  const seen: CreationTrial[] = [];
  const returned = (trial: CreationTrial) => {
    seen.push(trial);
    return ON_CHAIN as Hex;
  };
  // Made by CREATE, and by CREATE2.
  for (const address of [CONTRACT, addressAt(7)]) {
    await proveDeployment(pruned({ returned }), address, facts(0, null), source);
    for (const { stateOverride } of seen.splice(0)) {
      expect(stateOverride?.[address]).toMatchObject({ balance: 0n, state: {} });
    }
  }
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
