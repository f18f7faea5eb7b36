import { type Hex, hexFromBytes, hexToBytes } from "../../core/evm/hex.ts";
import { type CompilerInput, hasVerbatim } from "../inputs/compiler-input.ts";
import { initCodeOfBlueprint } from "../match/code/blueprint.ts";
import { isMatch } from "../match/code/code-match.ts";
import { guessArguments } from "../match/code/constructor-arguments.ts";
import { mayFollow } from "../match/code/creation-code.ts";
import { foreignParts, mayBeRun } from "../match/code/jump-destinations.ts";
import { levelsOf } from "../match/levels.ts";
import { readSyntax } from "../match/syntax.ts";
import { type Candidate, readTrees, type Session } from "./attempt.ts";
import { linkedAddresses, settingsIn } from "./metadata-text.ts";

/**
 * Init codes with arguments, one of which should return the code on chain, when another constructor ran. Null when nothing
 * needs to be run, empty when nothing would be proven by it. They are the compiled creation code, linked as the runtime code
 * is, with each possible encoding of the arguments.
 */
export async function trialOf(
  session: Session,
  input: CompilerInput,
  { contract, match }: Candidate,
): Promise<Hex[] | null> {
  const { onChain, given } = session;
  const isBlueprint = initCodeOfBlueprint(onChain.runtimeCode) !== null;
  if (!levelsOf(match, isBlueprint).needsTrial) return null;
  const { libraries: linked = {} } = isMatch(match.runtime) ? match.runtime.values : {};
  const code = Buffer.from(match.compiledCreation.bytes);
  for (const { id, offset } of match.compiledCreation.libraries) {
    const address = linked[id];
    if (address === undefined) return [];
    hexToBytes(address).copy(code, offset);
  }
  const { abi, metadata } = contract.output;
  const endings =
    given === null ? guessArguments(abi, onChain.creationCode ?? Buffer.alloc(0)) : [given];
  // Other bytes than arguments could be code that runs in place of the constructor, and so could arguments and addresses.
  if (given !== null && !mayFollow(contract.following, given)) return [];
  const trials = endings.map((ending) => Buffer.concat([code, ending]));
  const addresses = linkedAddresses(input.settings, metadata);
  const mayRunForeign = trials.some((trial) =>
    mayBeRun(trial, foreignParts(match.compiledCreation, trial, addresses)),
  );
  if (mayRunForeign && input.language === "Yul" && hasVerbatim(input)) return [];
  if (mayRunForeign && input.language === "Solidity" && settingsIn(metadata)["viaIR"] !== true) {
    const { keepsFunctions } = await readSyntax(readTrees(session, input, metadata), new Set());
    if (keepsFunctions) return [];
  }
  return trials.map(hexFromBytes);
}
