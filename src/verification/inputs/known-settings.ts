import { isRecord } from "../../core/json/record.ts";
import type { CompilerLanguage, FurtherInput, Settings } from "../compilers/input.ts";
import { compareReleases } from "../compilers/versions.ts";
import { without } from "./compiler-input.ts";

/** Allowed content of settings; true where any value is allowed. */
interface Known {
  readonly [key: string]: true | Known;
}

const OLD_SOLC: Known = {
  remappings: true,
  optimizer: { enabled: true, runs: true },
  evmVersion: true,
  metadata: { useLiteralContent: true },
  libraries: true,
};
const EVM_VERSION_SINCE = "0.4.21";
/** Since then solc refuses unknown settings. */
const REFUSES_SINCE = "0.5.2";

/** With the first release that reads it and, where a later one does not, the last. */
const VYPER: readonly (readonly [key: string, first: string, last?: string])[] = [
  ["evmVersion", "0.1.0"],
  ["optimize", "0.3.1"],
  ["bytecodeMetadata", "0.3.8"],
  ["experimentalCodegen", "0.4.0"],
  ["search_paths", "0.4.0"],
  ["venom", "0.4.1", "0.4.1"],
  ["enable_decimals", "0.4.1"],
  ["debug", "0.4.1"],
  ["venomExperimental", "0.4.2"],
];

/** Accept any value, until the release that requires true and false; Python decides what counts as true. */
const VYPER_TRUTH = [
  ["optimize", "0.3.10"],
  ["experimentalCodegen", "0.4.1"],
  ["bytecodeMetadata", undefined],
] as const;

const OVERRIDES = "storage_layout_overrides";
const OVERRIDES_SINCE = "0.4.1";
/** Since then those of a file have a name, and only the first ones are read. */
const NAMED_OVERRIDES_SINCE = "0.4.2";

/** Settings that select outputs, stop early or continue after errors, and change neither the code nor the metadata. */
const OF_OUTPUT = ["outputSelection", "modelChecker", "stopAfter", "parserErrorRecovery"];
/** Settings that solc accepts beside Yul, and ignores. */
const NOT_OF_YUL = ["viaIR", "metadata"];

/** Keeps settings that may change code or metadata: others would be shown as if they had. */
export function knownSettings(settings: Settings, language: CompilerLanguage, release: string) {
  if (language === "Vyper") return asTruth(pick(settings, vyperSettings(release)), release);
  if (language === "Yul") return without(withoutOutput(settings), NOT_OF_YUL);
  if (compareReleases(release, REFUSES_SINCE) >= 0) return withoutOutput(settings);
  const known = pick(settings, OLD_SOLC);
  const isTaken = compareReleases(release, EVM_VERSION_SINCE) >= 0;
  return isTaken ? known : without(known, ["evmVersion"]);
}

/** Returns the further keys of vyper's input that the release reads. */
export function knownFurther(further: FurtherInput, release: string): FurtherInput {
  const { [OVERRIDES]: overrides, ...others } = further;
  if (overrides === undefined || compareReleases(release, OVERRIDES_SINCE) < 0) return others;
  if (compareReleases(release, NAMED_OVERRIDES_SINCE) < 0) return further;
  const read = Object.entries(overrides).map(([path, named]) => [
    path,
    isRecord(named) ? Object.fromEntries(Object.entries(named).slice(0, 1)) : named,
  ]);
  return { ...others, [OVERRIDES]: Object.fromEntries(read) };
}

function asTruth(settings: Settings, release: string): Settings {
  const truths = VYPER_TRUTH.filter(
    ([key, until]) =>
      settings[key] !== undefined && (until === undefined || compareReleases(release, until) < 0),
  );
  return {
    ...settings,
    ...Object.fromEntries(truths.map(([key]) => [key, isTrue(settings[key])])),
  };
}

function isTrue(value: unknown): boolean {
  return value instanceof Object ? Object.keys(value).length > 0 : Boolean(value);
}

function withoutOutput(settings: Settings): Settings {
  const kept = without(settings, OF_OUTPUT);
  const debug = kept["debug"];
  return isRecord(debug) ? { ...kept, debug: without(debug, ["debugInfo"]) } : kept;
}

function vyperSettings(release: string): Known {
  const read = VYPER.filter(
    ([, first, last = release]) =>
      compareReleases(release, first) >= 0 && compareReleases(release, last) <= 0,
  );
  return Object.fromEntries(read.map(([key]) => [key, true]));
}

function pick(settings: Settings, known: Known): Settings {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const within = Object.hasOwn(known, key) ? known[key] : undefined;
      if (within === undefined) return [];
      return [[key, within === true || !isRecord(value) ? value : pick(value, within)]];
    }),
  );
}
