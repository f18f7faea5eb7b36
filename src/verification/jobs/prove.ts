import { getContractAddress } from "viem/utils";
import type { Chain } from "../../chain/chain.ts";
import type { BlockReference } from "../../chain/questions.ts";
import type { CreationTrial, TrialOverrides } from "../../chain/state/creations.ts";
import { ChainError } from "../../core/errors.ts";
import { type Address, addressOfWord, lowerAddress } from "../../core/evm/address.ts";
import { type Hex, hexConcat, hexSlice, hexToBytes } from "../../core/evm/hex.ts";
import { isQuantity, quantityToBigInt } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import type { CreationFacts } from "../../store/contracts/creation-facts.ts";
import type { DeploymentProof } from "../../store/contracts/verified/deployment-proofs.ts";
import { compiledCodeOf } from "../engine/kept-code.ts";
import type { VerifiedSource } from "../engine/verified-source.ts";
import { VerificationError } from "../errors.ts";
import { DEPLOY_ADDRESS } from "../match/code/runtime-code.ts";
import { returnedSameCode, type Trial, type Trialled } from "../match/trial.ts";
import type { OnChainFacts } from "./on-chain-facts.ts";

export type TrialChain = Pick<
  Chain,
  "runCreations" | "traceCreations" | "request" | "fetchHead" | "fetchCodes"
>;

/** The outcome of running the compiled constructor. `isInPlace`: with arguments and state of the original creation. */
type Outcome = NonNullable<DeploymentProof["run"]> & { isInPlace?: boolean };

/**
 * Returns a match's proof; the node runs the compiled constructor where another ran. Immutables need a run that returns them. Throws
 * `VerificationError`: `bytecode`, `node`.
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
  const { values } = proof;
  // The address of a library was compared already.
  const holdsValues =
    proof.immutables !== null &&
    (values.length === 0 || values.some(({ name }) => name !== DEPLOY_ADDRESS));
  const running = runTrial(stoppable(chain, stop), trialled, creation, trial, holdsValues);
  const { isInPlace, ...run } = await running.catch((error): Outcome => {
    if (!bound.aborted) throw error;
    if (holdsValues) throw new VerificationError({ code: "node" }, { cause: error });
    return notRun("The node takes too long to run it.");
  });
  if (run.outcome === "different") {
    const detail = `Another constructor ran than that of ${contractName}, and running that one does not leave the code on chain: immutables or the code itself differ. ${run.reason}`;
    throw new VerificationError({ code: "bytecode", detail });
  }
  const kind = run.outcome === "equal" ? "run" : "unknown";
  const construction = isInPlace === false ? "unknown" : kind;
  return { ...proof, construction, immutables: proof.immutables && kind, run };
}

/** Time limit: an author may write a constructor to occupy a node. */
const PATIENCE_MS = 15_000;

function stoppable(chain: TrialChain, signal: AbortSignal): TrialChain {
  return {
    runCreations: (trials, block, overrides) =>
      chain.runCreations(trials, block, overrides, { signal }),
    traceCreations: (trials, block, index, overrides) =>
      chain.traceCreations(trials, block, index, overrides, { signal }),
    request: (method, parameters) => chain.request(method, parameters, { signal }),
    fetchHead: () => chain.fetchHead({ signal }),
    fetchCodes: (addresses, block) => chain.fetchCodes(addresses, block, { signal }),
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

const NO_ARGUMENTS =
  "The creation code names no library, or ends in no arguments of the constructor, or in some that it could run. Name the addresses of the libraries and send the constructor's arguments.";

async function runTrial(
  chain: TrialChain,
  trialled: Trialled,
  creation: CreationFacts,
  { code, endings, isMadeUp }: Trial,
  holdsValues: boolean,
): Promise<Outcome> {
  const refusal = (reason: string): Outcome =>
    holdsValues ? { outcome: "different", reason } : notRun(reason);
  if (endings.length === 0) return refusal(NO_ARGUMENTS);
  const { creator: from, value } = creation;
  const trials = endings.map((ending) => ({ from, initCode: hexConcat(code, ending), value }));
  try {
    const place = await findPlace(chain, trialled.address, creation);
    const codes = await place.run(trials);
    const found = trials.find((_, index) => isSame(trialled, codes[index]));
    if (found !== undefined) {
      if (holdsValues && !(await isSteady(trialled, found, place))) {
        return refusal(
          "It returns that code only with other gas, or another price of it, than its transaction had.",
        );
      }
      const isInPlace = !isMadeUp && !place.isLater;
      return { outcome: "equal", reason: reasonOf(isMadeUp, trials.length, place), isInPlace };
    }
    const returned = codes.filter((one) => one !== null).length;
    if (returned === 0) {
      const isProven = place.isSameState && !isMadeUp;
      if (isProven) return { outcome: "different", reason: "It failed." };
      return refusal(isMadeUp ? NO_MADE_UP : "It fails where it is run again.");
    }
    if (holdsValues || place.isExact) {
      const reason = isMadeUp
        ? `It returned other code with each of ${trials.length} sets of made-up arguments. If it ran with others, send them.`
        : "It returned other code.";
      return { outcome: "different", reason };
    }
    return notRun("The state in the middle of a transaction cannot be had.");
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (PASSING.has(error.code)) throw new VerificationError({ code: "node" }, { cause: error });
    return notRun("The node cannot run it.");
  }
}

const NO_MADE_UP = "It fails with made-up arguments. Send the constructor's arguments.";

function reasonOf(isMadeUp: boolean, sets: number, { isLater }: Place): string {
  const code = isLater
    ? "It returned the code on chain, on a later state than that of its creation"
    : "It returned the code on chain";
  if (!isMadeUp) return `${code}.`;
  return `${code}, with one of ${sets} sets of arguments that are made up or the request's: the creation holds none.`;
}

function notRun(reason: string): Outcome {
  return { outcome: "not-run", reason };
}

function isSame(trialled: Trialled, code: Hex | null | undefined): boolean {
  return code != null && returnedSameCode(trialled, hexToBytes(code));
}

/** Gas limits of the runs with their transaction's price; each doubles the one before. */
const STEADY_GAS = { least: 2n ** 16n, most: 2n ** 24n };

/** Returns whether a creation returns the same code as in a transaction: with price, origin, block fields and any sufficient gas. */
async function isSteady(trialled: Trialled, trial: CreationTrial, place: Place): Promise<boolean> {
  const probe = { from: trial.from, initCode: PROBE, value: 0n, gas: STEADY_GAS.most };
  const levels: CreationTrial[] = [];
  for (let gas = STEADY_GAS.most; gas >= STEADY_GAS.least; gas /= 2n)
    levels.push({ ...trial, gas });
  const [seen, ...codes] = await place.runAsSent([probe, ...levels]);
  // Some nodes cannot run it.
  if (seen == null) return true;
  const returned = codes.filter((code) => code !== null);
  return returned.length > 0 && returned.every((code) => isSame(trialled, code));
}

/** Environment for repeated creations. Codes are null where it fails. */
interface Place {
  /** At the same address and in the same block, as far as visible. */
  isExact: boolean;
  /** Also in the same state. */
  isSameState: boolean;
  /** On the state of the head: the node has no older one. */
  isLater: boolean;
  run(trials: readonly CreationTrial[]): Promise<(Hex | null)[]>;
  /** As `run`, with the fields of the block and the price of gas of the transaction. */
  runAsSent(trials: readonly CreationTrial[]): Promise<(Hex | null)[]>;
}

/** Init code that returns its ADDRESS, NUMBER and TIMESTAMP. */
const PROBE: Hex = "0x30600052436020524260405260606000f3";
/** An unused address for a factory's own code. */
const SHADOW: Address = "0x00000000000000000000000000000000005e1f00";
/** Runs CREATE with the calldata for the origin and returns the code that it leaves; all other calls go to the shadow. */
const CREATING: Hex = `0x323314603c573660006000376000600036600073${SHADOW.slice(2)}5af43d600060003e6037573d6000fd5b3d6000f35b36600060003736600034f08060515760006000fd5b803b8060006000843c6000f3`;
const RICH = 2n ** 128n;

async function findPlace(
  chain: TrialChain,
  address: Address,
  creation: CreationFacts,
): Promise<Place> {
  const parent = { number: creation.blockNumber - 1, hash: creation.parentHash };
  const traced = await tracedPlace(chain, address, creation);
  if (traced !== null) return traced;
  try {
    return await calledPlace(chain, address, creation, parent, false);
  } catch (error) {
    if (!(error instanceof ChainError) || error.code !== "state-unavailable") throw error;
    return calledPlace(chain, address, creation, await chain.fetchHead(), true);
  }
}

/** Returns the environment just before the transaction; null where the node lacks the state within a block, or none is needed. */
async function tracedPlace(
  chain: TrialChain,
  address: Address,
  creation: CreationFacts,
): Promise<Place | null> {
  const { creator: from, nonce, transactionIndex, blockNumber, blockHash } = creation;
  if (nonce === null || transactionIndex === 0) return null;
  const block = { number: blockNumber, hash: blockHash };
  const run = async (trials: readonly CreationTrial[], overrides?: TrialOverrides) => {
    const outcomes = await chain.traceCreations(trials, block, transactionIndex, overrides);
    return outcomes.map((outcome) => outcome?.code ?? null);
  };
  try {
    const [probe] = await chain.traceCreations(
      [{ from, initCode: PROBE, value: 0n }],
      block,
      transactionIndex,
    );
    if (probe == null || lowerAddress(probe.address) !== address) return null;
  } catch (error) {
    if (error instanceof ChainError && !PASSING.has(error.code)) return null;
    throw error;
  }
  return {
    isExact: true,
    isSameState: true,
    isLater: false,
    run,
    runAsSent: async (trials) => {
      const { gasPrice } = await environmentOf(chain, creation);
      const priced = trials.map((trial) => ({ ...trial, gasPrice }));
      return run(priced, { stateOverride: [{ address: from, balance: RICH }] });
    },
  };
}

/** Returns the environment on the state of a block, mostly the parent, with the number and time of the creation's block. */
async function calledPlace(
  chain: TrialChain,
  address: Address,
  creation: CreationFacts,
  block: BlockReference,
  isLater: boolean,
): Promise<Place> {
  const { creator: from, nonce, transactionIndex, blockNumber, timestampSeconds } = creation;
  const at = nonce ?? (await factoryNonce(chain, from, address, block));
  const creator = { address: from, ...(at !== undefined && { nonce: Number(at) }) };
  const time = { number: BigInt(blockNumber), time: BigInt(timestampSeconds) };
  const overrides: TrialOverrides = {
    // The creator may have received it in the same block.
    stateOverride: [{ ...creator, ...(creation.value > 0n && { balance: creation.value }) }],
    blockOverrides: time,
  };
  const probe = { from, initCode: PROBE, value: 0n };
  const [seen = null] = await chain.runCreations([probe], block, overrides);
  const own = seen === null ? address : addressOfWord(hexSlice(seen, 0, 32));
  const isExact =
    nonce !== null &&
    !isLater &&
    seen !== null &&
    own === address &&
    BigInt(hexSlice(seen, 32, 64)) === time.number &&
    BigInt(hexSlice(seen, 64, 96)) === time.time;
  return {
    isExact,
    isSameState: isExact && transactionIndex === 0,
    isLater,
    run: (trials) => runEach(chain, trials, block, overrides, own, address),
    runAsSent: async (trials) => {
      const { gasPrice, origin, ...fields } = await environmentOf(chain, creation);
      const blockOverrides = { ...time, ...fields };
      if (nonce !== null) {
        const stateOverride = [{ ...creator, balance: RICH }];
        const priced = trials.map((trial) => ({ ...trial, gasPrice }));
        return runEach(chain, priced, block, { stateOverride, blockOverrides }, own, address);
      }
      const [code = "0x"] = await chain.fetchCodes([from], block);
      const stateOverride = [
        { ...creator, code: CREATING },
        { address: SHADOW, code },
        { address: origin, balance: RICH },
      ];
      const called = trials.map((trial) => ({ ...trial, from: origin, to: from, gasPrice }));
      return runEach(chain, called, block, { stateOverride, blockOverrides }, own, address);
    },
  };
}

/** Runs each creation alone: a refusal is a failure, as the probe ran. Replaces the run's address in its code by the original one. */
function runEach(
  chain: TrialChain,
  trials: readonly CreationTrial[],
  block: BlockReference,
  overrides: TrialOverrides,
  there: Address,
  own: Address,
): Promise<(Hex | null)[]> {
  return Promise.all(
    trials.map(async (trial) => {
      try {
        const [code = null] = await chain.runCreations([trial], block, overrides);
        return code && (code.replaceAll(there.slice(2), own.slice(2)) as Hex);
      } catch (error) {
        if (error instanceof ChainError && !PASSING.has(error.code)) return null;
        throw error;
      }
    }),
  );
}

/** Returns the environment of the creating transaction: the fields of its block, its origin and the price of gas in wei. */
async function environmentOf(chain: TrialChain, { transactionHash, blockHash }: CreationFacts) {
  const [transaction, header] = await Promise.all([
    chain.request("eth_getTransactionByHash", [transactionHash]),
    chain.request("eth_getBlockByHash", [blockHash, false]),
  ]);
  const [sent, block] = [transaction, header].map((found) => (isRecord(found) ? found : {}));
  const amount = (value: unknown) => (isQuantity(value) ? quantityToBigInt(value) : undefined);
  const fields = {
    baseFeePerGas: amount(block?.["baseFeePerGas"]),
    gasLimit: amount(block?.["gasLimit"]),
    feeRecipient: block?.["miner"] as Address | undefined,
    // viem writes it without leading zeros, which nodes refuse.
    prevRandao: (amount(block?.["mixHash"]) ?? 0n) | (1n << 255n),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(known) as {
      [Field in keyof typeof fields]?: NonNullable<(typeof fields)[Field]>;
    }),
    gasPrice: amount(sent?.["gasPrice"]) ?? fields.baseFeePerGas ?? 1n,
    origin: typeof sent?.["from"] === "string" ? lowerAddress(sent["from"]) : SHADOW,
  };
}

/** Most nonces of a factory that are tried. */
const MAX_CREATIONS = 200n;

/** Returns the nonce of the factory's CREATE that made the contract; undefined when none of those tried did. */
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
