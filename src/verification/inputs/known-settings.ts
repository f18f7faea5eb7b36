import { isRecord } from "../../core/record.ts";
import { compareReleases } from "../compilers/versions.ts";
import { type CompilerLanguage, type Settings, without } from "./compiler-input.ts";

/** What settings may hold; true where any value may stand. */
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
/** Since then solc refuses what it does not know. */
const REFUSES_SINCE = "0.5.2";

const VYPER: Known = {
  evmVersion: true,
  optimize: true,
  bytecodeMetadata: true,
  experimentalCodegen: true,
  venomExperimental: true,
  enable_decimals: true,
  debug: true,
  search_paths: true,
};

/**
 * The settings that a compiler looks at. Vyper and old releases of solc ignore all others, which would be shown beside a
 * match as if they had made the code.
 */
export function knownSettings(
  settings: Settings,
  language: CompilerLanguage,
  release: string,
): Settings {
  if (language === "Vyper") return pick(settings, VYPER);
  if (compareReleases(release, REFUSES_SINCE) >= 0) return settings;
  const known = pick(settings, OLD_SOLC);
  const isTaken = compareReleases(release, EVM_VERSION_SINCE) >= 0;
  return isTaken ? known : without(known, ["evmVersion"]);
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
