import { randomInt } from "node:crypto";
import { isPassing } from "../../chain/state/creations.ts";
import { ChainError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import { type Hex, hexConcat, hexToBytes } from "../../core/evm/hex.ts";
import type { CreationFacts } from "../../store/contracts/creations.ts";
import type { DeploymentProof } from "../../store/contracts/verified/deployment-proofs.ts";
import { compiledCodeOf } from "../engine/kept-code.ts";
import type { VerifiedSource } from "../engine/verified-source.ts";
import { failByNode, VerificationError } from "../errors.ts";
import { DEPLOY_ADDRESS } from "../match/code/runtime-code.ts";
import { returnedSameCode, type Trial, type Trialled } from "../match/similar.ts";
import type { OnChainFacts } from "./on-chain-facts.ts";
import { findSetting, MOST_GAS, type Setting, type TrialChain } from "./trial-settings.ts";

/** The outcome of running the compiled constructor. `isInPlace`: with arguments and state of the original creation. */
type Outcome = NonNullable<DeploymentProof["run"]> & { isInPlace?: boolean };

/** Returns a match's proof; the node runs the compiled constructor where another ran. Throws `VerificationError`. */
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
    (values.length === 0 ||
      values.some(({ name, type }) => name !== DEPLOY_ADDRESS || type !== ""));
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
    traceCreations: (trials, block, index) =>
      chain.traceCreations(trials, block, index, { signal }),
    request: (method, parameters) => chain.request(method, parameters, { signal }),
    fetchHead: () => chain.fetchHead({ signal }),
    fetchCoinBalances: (addresses, block) => chain.fetchCoinBalances(addresses, block, { signal }),
  };
}

const NO_ARGUMENTS =
  "The creation code names no library, or ends in no arguments of the constructor, or in some that it could run. Name the addresses of the libraries and send the constructor's arguments.";
const NO_SETTING =
  "The node cannot run it where everything that it asks for (its address, its caller and their codes, the block, other contracts) is as it was.";
const CANNOT_RUN = "The node cannot run it.";
const RUNS_NONE =
  "The node runs no creations (eth_call with state overrides). Submit it again behind one that does.";
const NO_MADE_UP = "It fails with made-up arguments. Send the constructor's arguments.";

async function runTrial(
  chain: TrialChain,
  trialled: Trialled,
  creation: CreationFacts,
  { code, endings, isMadeUp, asks }: Trial,
  holdsValues: boolean,
): Promise<Outcome> {
  const refusal = (reason: string): Outcome =>
    holdsValues ? { outcome: "different", reason } : notRun(reason);
  if (endings.length === 0) return refusal(NO_ARGUMENTS);
  const initCodes = endings.map((ending) => hexConcat(code, ending));
  let setting: Setting | null = null;
  try {
    setting = await findSetting(chain, trialled.address, creation, asks);
    if (setting === null) return refusal(NO_SETTING);
    const codes = await setting.run(initCodes);
    const found = initCodes.find((_, index) => isSame(trialled, codes[index]));
    if (found !== undefined) {
      if (holdsValues && !(await isSteady(trialled, found, setting))) {
        return refusal("It returns that code only with other gas than its transaction had.");
      }
      const reason = explainFailure(isMadeUp, endings.length, setting);
      return { outcome: "equal", reason, isInPlace: !isMadeUp && !setting.isLater };
    }
    if (codes.every((one) => one === null)) {
      const isProven = setting.isSameState && !isMadeUp;
      if (isProven) return { outcome: "different", reason: "It failed." };
      return refusal(isMadeUp ? NO_MADE_UP : "It fails where it is run again.");
    }
    if (!holdsValues && setting.isLater) return notRun("The node has no state of that time.");
    const reason = isMadeUp
      ? `It returned other code with each of ${endings.length} sets of made-up arguments. If it ran with others, send them.`
      : "It returned other code.";
    return { outcome: "different", reason };
  } catch (error) {
    if (!(error instanceof ChainError) || isPassing(error)) failByNode(error);
    // The node runs other creations, so this constructor causes the failure.
    return setting ? refusal(CANNOT_RUN) : notRun(RUNS_NONE);
  }
}

function explainFailure(isMadeUp: boolean, sets: number, { isLater }: Setting): string {
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

const LEAST_GAS = 2n ** 16n;

/** Returns whether init code also returns the code on chain with any sufficient gas; each run has a random gas limit near half of the previous one. */
async function isSteady(trialled: Trialled, initCode: Hex, setting: Setting): Promise<boolean> {
  const levels: bigint[] = [];
  // Random, because a constructor could recognise fixed amounts.
  for (let gas = MOST_GAS / 2n; gas >= LEAST_GAS; gas /= 2n)
    levels.push(gas + BigInt(randomInt(Number(gas))));
  const codes = await Promise.all(levels.map((gas) => setting.run([initCode], gas)));
  return codes.flat().every((code) => code === null || isSame(trialled, code));
}
