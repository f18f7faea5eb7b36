import { getContractAddress } from "viem/utils";
import type { Chain } from "../../chain/chain.ts";
import type { BlockReference } from "../../chain/questions.ts";
import type { CreationTrial } from "../../chain/state/creations.ts";
import { ChainError } from "../../core/errors.ts";
import { type Address, addressOfWord, lowerAddress } from "../../core/evm/address.ts";
import { type Hex, hexSlice, hexToBytes } from "../../core/evm/hex.ts";
import { isQuantity, quantityToBigInt } from "../../core/evm/quantity.ts";
import type { CreationFacts } from "../../store/contracts/creation-facts.ts";
import type { DeploymentProof } from "../../store/contracts/verified/deployment-proofs.ts";
import { compiledCodeOf } from "../engine/kept-code.ts";
import type { VerifiedSource } from "../engine/verified-source.ts";
import { VerificationError } from "../errors.ts";
import { bothReturnedOther, returnedSameCode, type Trialled } from "../match/trial.ts";
import type { OnChainFacts } from "./on-chain-facts.ts";

export type TrialChain = Pick<Chain, "runCreations" | "traceCreations" | "request">;

/** The outcome of running the compiled constructor. */
type Outcome = NonNullable<DeploymentProof["run"]>;

/**
 * The proof of a matched contract. Where another constructor ran than the compiled one, the node runs the compiled one
 * in its place. Throws `VerificationError`: `bytecode` when it leaves other code than that on chain, `node` when the
 * node does not answer.
 */
export async function proveDeployment(
  chain: TrialChain,
  address: Address,
  facts: OnChainFacts,
  { proof, trial, compiledRuntime, contractName }: VerifiedSource,
  signal?: AbortSignal,
): Promise<DeploymentProof> {
  const { creation } = facts;
  if (trial === null || creation === null) return proof;
  const trialled = {
    compiled: compiledCodeOf(compiledRuntime),
    onChain: hexToBytes(facts.runtimeCode),
    address,
  };
  const bound = AbortSignal.timeout(PATIENCE_MS);
  const stop = signal ? AbortSignal.any([signal, bound]) : bound;
  const run = await outcomeOf(stoppable(chain, stop), trialled, creation, trial).catch((error) => {
    if (bound.aborted) return notRun("The node takes too long to run it.");
    throw error;
  });
  if (run.outcome === "different") {
    const detail = `Another constructor ran than that of ${contractName}, which leaves other code than that on chain: immutables or the code itself differ.`;
    throw new VerificationError({ code: "bytecode", detail });
  }
  const kind = run.outcome === "equal" ? "run" : "unknown";
  return { ...proof, construction: kind, immutables: proof.immutables && kind, run };
}

/** A constructor may be written to keep a node busy. */
const PATIENCE_MS = 15_000;

function stoppable(chain: TrialChain, signal: AbortSignal): TrialChain {
  return {
    runCreations: (trials, block, overrides) =>
      chain.runCreations(trials, block, overrides, { signal }),
    traceCreations: (trials, block, index) =>
      chain.traceCreations(trials, block, index, { signal }),
    request: (method, parameters) => chain.request(method, parameters, { signal }),
  };
}

/** Temporary errors of a node. Any other error means that it cannot run the constructor. */
const PASSING = new Set([
  "unreachable",
  "timeout",
  "rate-limited",
  "unavailable",
  "busy",
  "aborted",
]);

async function outcomeOf(
  chain: TrialChain,
  trialled: Trialled,
  creation: CreationFacts,
  initCodes: readonly Hex[],
): Promise<Outcome> {
  if (initCodes.length === 0) {
    return notRun(
      "The creation code names no library, or ends in no arguments of the constructor, or in some that it could run.",
    );
  }
  const { creator: from, value } = creation;
  const trials = initCodes.map((initCode) => ({ from, initCode, value }));
  try {
    const { codes, isExact, isSameState } = await runInPlace(
      chain,
      trialled.address,
      creation,
      trials,
    );
    const returned = codes.filter((code) => code !== null).map(hexToBytes);
    if (returned.some((code) => returnedSameCode(trialled, code))) {
      return { outcome: "equal", reason: "It returned the code on chain." };
    }
    if (returned.length === 0 && isSameState) return { outcome: "different", reason: "It failed." };
    // In another state, a failure proves nothing.
    if (returned.length < trials.length && !isSameState) {
      return notRun("It fails where it is run again.");
    }
    if (isExact || (await isOtherElsewhere(chain, trialled, creation, trials, returned))) {
      return { outcome: "different", reason: "It returned other code." };
    }
    return notRun("The state in the middle of a transaction cannot be had.");
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (PASSING.has(error.code)) throw new VerificationError({ code: "node" }, { cause: error });
    return notRun("The node cannot run it.");
  }
}

function notRun(reason: string): Outcome {
  return { outcome: "not-run", reason };
}

/** Init code that returns its ADDRESS, NUMBER and TIMESTAMP. */
const PROBE: Hex = "0x30600052436020524260405260606000f3";

/**
 * Runs init codes in place of the creating transaction. `isExact`: at the same address and in the same block, as far as
 * can be seen. `isSameState`: also in the same state.
 */
async function runInPlace(
  chain: TrialChain,
  address: Address,
  creation: CreationFacts,
  trials: readonly CreationTrial[],
): Promise<{ codes: (Hex | null)[]; isExact: boolean; isSameState: boolean }> {
  const block = { number: creation.blockNumber, hash: creation.blockHash };
  const parent = { number: creation.blockNumber - 1, hash: creation.parentHash };
  const { creator: from, nonce, transactionIndex } = creation;
  if (nonce !== null && transactionIndex > 0) {
    const traced = await tracedInPlace(chain, address, trials, block, transactionIndex);
    if (traced !== null) return { codes: traced, isExact: true, isSameState: true };
  }
  const at = nonce ?? (await factoryNonce(chain, from, address, parent));
  const probe = { from, initCode: PROBE, value: 0n };
  const [seen = null, ...codes] = await chain.runCreations([probe, ...trials], parent, {
    stateOverride: [
      {
        address: from,
        ...(at !== undefined && { nonce: Number(at) }),
        // The creator may have received it in the same block.
        ...(creation.value > 0n && { balance: creation.value }),
      },
    ],
    blockOverrides: {
      number: BigInt(creation.blockNumber),
      time: BigInt(creation.timestampSeconds),
    },
  });
  const isExact =
    nonce !== null &&
    seen !== null &&
    addressOfWord(hexSlice(seen, 0, 32)) === address &&
    BigInt(hexSlice(seen, 32, 64)) === BigInt(creation.blockNumber) &&
    BigInt(hexSlice(seen, 64, 96)) === BigInt(creation.timestampSeconds);
  return { codes, isExact, isSameState: isExact && transactionIndex === 0 };
}

/** Null when the node does not give the state within a block. */
async function tracedInPlace(
  chain: TrialChain,
  address: Address,
  trials: readonly CreationTrial[],
  block: BlockReference,
  transactionIndex: number,
): Promise<(Hex | null)[] | null> {
  try {
    const traced = await chain.traceCreations(trials, block, transactionIndex);
    const isInPlace = traced.every(
      (outcome) => outcome === null || lowerAddress(outcome.address) === address,
    );
    return isInPlace && traced.some((outcome) => outcome !== null)
      ? traced.map((outcome) => outcome?.code ?? null)
      : null;
  } catch (error) {
    if (error instanceof ChainError && !PASSING.has(error.code)) return null;
    throw error;
  }
}

/** An address that no contract knows. */
const STRANGER: Address = "0x00000000000000000000000000000000005e1f00";

/** Whether the constructor also leaves other code when another sender runs it, after the block. */
async function isOtherElsewhere(
  chain: TrialChain,
  trialled: Trialled,
  creation: CreationFacts,
  trials: readonly CreationTrial[],
  returned: readonly Buffer[],
): Promise<boolean> {
  const block = { number: creation.blockNumber, hash: creation.blockHash };
  const strangers = trials.map((trial) => ({ ...trial, from: STRANGER }));
  const codes = await chain.runCreations(strangers, block, {
    ...(creation.value > 0n && {
      stateOverride: [{ address: STRANGER, balance: creation.value }],
    }),
  });
  return codes.every((code, index) => {
    const first = returned[index];
    return (
      code !== null && first !== undefined && bothReturnedOther(trialled, first, hexToBytes(code))
    );
  });
}

/** Most nonces of a factory that are tried. */
const MAX_CREATIONS = 200n;

/** The nonce of the factory's CREATE that made the contract; undefined when none of those tried did. */
async function factoryNonce(
  chain: TrialChain,
  factory: Address,
  address: Address,
  parent: BlockReference,
): Promise<bigint | undefined> {
  const count = await chain.request("eth_getTransactionCount", [
    factory,
    { blockHash: parent.hash },
  ]);
  const first = isQuantity(count) ? quantityToBigInt(count) : 0n;
  for (let nonce = first; nonce < first + MAX_CREATIONS; nonce++) {
    if (lowerAddress(getContractAddress({ from: factory, nonce })) === address) return nonce;
  }
  return undefined;
}
