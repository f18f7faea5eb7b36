import { hexFromBytes, hexToBytes } from "../../core/evm/hex.ts";
import type { ImmutableValue } from "../../store/contracts/verified/deployment-proofs.ts";
import { type CompilerInput, hasVerbatim } from "../compilers/input.ts";
import { isMatch } from "../match/code/code-match.ts";
import { constructorInputs, guessArguments, mayFollow } from "../match/code/creation-code.ts";
import {
  environmentOf,
  foreignParts,
  initCodeOfBlueprint,
  mayBeRun,
} from "../match/code/instructions.ts";
import { levelsOf, type OnChainCode } from "../match/contract-match.ts";
import { makeUpArguments } from "../match/made-up-arguments.ts";
import type { Trial } from "../match/similar.ts";
import { readSyntax } from "../match/syntax.ts";
import { type Candidate, readTrees, type Session } from "./attempt.ts";
import { linkedAddresses, settingsIn } from "./kept-sources.ts";

/** Returns the compiled creation code with arguments, to run in place of the constructor on chain; null if not needed. */
export async function trialOf(
  session: Session,
  input: CompilerInput,
  { contract, match }: Candidate,
  values: readonly ImmutableValue[],
): Promise<Trial | null> {
  const { onChain, given } = session;
  const isBlueprint = initCodeOfBlueprint(onChain.runtimeCode) !== null;
  if (!levelsOf(match, isBlueprint).needsTrial) return null;
  const { libraries: linked = {}, immutables = {} } = isMatch(match.runtime)
    ? match.runtime.values
    : {};
  const { compiledCreation, compiledRuntime } = match;
  const code = Buffer.from(compiledCreation.bytes);
  const { abi, metadata } = contract.output;
  const ending = endingOf(onChain);
  const guesses = guessArguments(abi, ending);
  const isMadeUp =
    given === null ? guesses.length === 0 : !ending.subarray(-given.length).equals(given);
  // The hash in vyper's metadata may hold any byte, and is never run.
  const creation = compiledCreation.bytes.subarray(0, contract.vyper?.offset);
  let asks = environmentOf(creation, compiledRuntime.bytes);
  const trial = (endings: Buffer[]): Trial => ({
    code: hexFromBytes(code),
    endings: endings.map(hexFromBytes),
    isMadeUp,
    asks,
  });
  for (const { id, offset } of compiledCreation.libraries) {
    const address = linked[id];
    if (address === undefined) return trial([]);
    hexToBytes(address).copy(code, offset);
  }
  // Bytes after the code, arguments included, could be code that runs in place of the constructor; so could addresses.
  if (given !== null && !mayFollow(contract.following, given)) return trial([]);
  // Vyper does not always name its immutables.
  const unnamed = Object.values(immutables).map((value) => ({ name: "", type: "", value }));
  const endings =
    given !== null
      ? [given]
      : isMadeUp
        ? makeUpArguments(constructorInputs(abi), values.length > 0 ? values : unnamed)
        : guesses;
  const addresses = linkedAddresses(input.settings, metadata);
  const harmless = endings.filter((end) => {
    const run = Buffer.concat([code, end]);
    return !mayBeRun(run, foreignParts(compiledCreation, run, addresses));
  });
  if (values.length === 0 && harmless.length === endings.length) return trial(endings);
  // True if the source's jumps may lead outside its functions.
  const mayJumpAnywhere =
    input.language === "Yul"
      ? hasVerbatim(input)
      : input.language !== "Vyper" &&
        settingsIn(metadata)["viaIR"] !== true &&
        (await readSyntax(readTrees(session, input, metadata), new Set())).keepsFunctions;
  if (!mayJumpAnywhere) return trial(endings);
  // The constructor may then also run the runtime code.
  asks = environmentOf(creation, Buffer.alloc(0));
  return trial(harmless);
}

/** Returns possible arguments in the creation code on chain: the bytes after the code it leaves. */
function endingOf({ creationCode, runtimeCode }: OnChainCode): Buffer {
  if (creationCode === null) return Buffer.alloc(0);
  const copied = creationCode.lastIndexOf(runtimeCode);
  return copied < 0 ? creationCode : creationCode.subarray(copied + runtimeCode.length);
}
