import { readFileSync } from "node:fs";
import { PATHS, pathNameOf } from "../api/serving/served-chain.ts";
import { pathFault } from "../core/errors.ts";
import { isRecord } from "../core/json/record.ts";
import { repeatedKeys } from "../core/json/repeated-keys.ts";
import {
  type Config,
  checkSettings,
  contradictions,
  loadConfig,
  type SettingName,
  SettingsError,
  type SettingTexts,
  textOf,
} from "./config.ts";

/** The settings of the process, and of each chain: the common ones and its own. */
export interface Settings {
  common: Config;
  chains: readonly [Config, ...Config[]];
}

/** Settings that a chain of the file must have. */
const REQUIRED = ["CHAIN_ID", "RPC_URL", "DATABASE_SCHEMA"] as const satisfies SettingName[];
/** Settings of one chain alone: the environment cannot set them for all. */
const OWN = [
  ...REQUIRED,
  "NETWORK_NAME",
  "RPC_WS_URL",
  "PRICE_FEED_USD",
  "PRICE_FEED_BTC",
] as const satisfies SettingName[];
/** Settings that a chain of the file may have. */
export const CHAIN_SETTINGS: readonly SettingName[] = [
  ...OWN,
  "COIN_SYMBOL",
  "START_BLOCK",
  "TRACES",
  "PROOFS",
  "FINALITY_DEPTH",
  "ALLOW_RESET",
  "POLL_INTERVAL_MS",
  "RPC_TIMEOUT_MS",
  "RPC_CONCURRENCY",
  "DATABASE_CONNECTIONS",
  "INDEXER_MEMORY_MB",
  "SEND_TRANSACTIONS",
  "STATIC_REWARD",
  "LABELS_FILE",
];
const SEVERAL_CONNECTIONS = "12";
const FORM = '{"chains": [{…}, …]}';

/** Reads the environment and its CHAINS_FILE, or one chain without it. Throws one `SettingsError` with all faults. */
export function loadSettings(environment: SettingTexts): Settings {
  const file = textOf(environment, "CHAINS_FILE");
  if (file === "") {
    const config = loadConfig(environment);
    return { common: config, chains: [config] };
  }
  const { config: common, complaints } = checkSettings(environment);
  for (const name of OWN) {
    if (textOf(environment, name) !== "")
      complaints.push(`${name} is a chain's own: it belongs into CHAINS_FILE`);
  }
  // Every chain needs a node; a missing one is a separate complaint.
  complaints.push(...contradictions({ ...environment, RPC_URL: "http://node" }));
  const entries = readChains(file, complaints);
  const chains = entries.map((entry) => checkChain(environment, entry, complaints));
  complaints.push(...shared(entries, "CHAIN_ID"), ...shared(entries, "DATABASE_SCHEMA"));
  complaints.push(...badNames(entries));
  const [first, ...others] = chains;
  if (!first || complaints.length > 0) throw new SettingsError(complaints);
  return { common, chains: [first, ...others] };
}

interface Entry {
  label: string;
  texts: Record<string, string>;
}

function readChains(file: string, complaints: string[]): Entry[] {
  let content: unknown;
  try {
    // Some editors add a byte order mark, which is not part of the text.
    const json = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    content = JSON.parse(json);
    complaints.push(
      ...[...repeatedKeys(json)].map(
        ({ key, line }) => `CHAINS_FILE has ${key} twice in one object, again at line ${line}`,
      ),
    );
  } catch (error) {
    complaints.push(`CHAINS_FILE ${reasonOf(error)}`);
    return [];
  }
  const { chains, ...others } = isRecord(content) ? content : { chains: undefined };
  if (!Array.isArray(chains) || chains.length === 0 || Object.keys(others).length > 0) {
    complaints.push(`CHAINS_FILE must hold ${FORM}, with a chain at least and nothing else`);
    return [];
  }
  return chains.map((chain, index) => readChain(chain, index, complaints));
}

/** Returns why a file is unusable, without its content. */
function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return "must be saved as UTF-8";
  if (!(error instanceof SyntaxError)) {
    return `must be a file that this user can read, but ${pathFault(error)}`;
  }
  if (/end of JSON/.test(error.message)) return `must hold ${FORM}, but it ends too early`;
  const [place] = /line \d+ column \d+/.exec(error.message) ?? [];
  return `must hold ${FORM}, but it is no JSON${place ? ` from ${place} on` : ""}`;
}

function readChain(chain: unknown, index: number, complaints: string[]): Entry {
  const members = isRecord(chain) ? chain : {};
  const { NETWORK_NAME: name } = members;
  const label = typeof name === "string" && name.trim() !== "" ? name.trim() : `chain ${index + 1}`;
  const texts: Record<string, string> = {};
  if (!isRecord(chain)) complaints.push(`${label}: must be an object of settings`);
  for (const [key, value] of Object.entries(members)) {
    const name = key === "labelsFile" ? "LABELS_FILE" : key;
    if (!CHAIN_SETTINGS.some((setting) => setting === name)) {
      complaints.push(`${label}: ${key} is not a setting of a chain`);
    } else if (typeof value === "string" || typeof value === "number") {
      texts[name] = String(value).trim();
    } else {
      complaints.push(`${label}: ${key} must be text or a number`);
    }
  }
  for (const key of REQUIRED) {
    // A value that is neither text nor a number has its own complaint.
    if (texts[key] === "" || !(key in members)) complaints.push(`${label}: ${key} is missing`);
  }
  return { label, texts };
}

function checkChain(environment: SettingTexts, { label, texts }: Entry, complaints: string[]) {
  const several = { DATABASE_CONNECTIONS: SEVERAL_CONNECTIONS };
  const { config, complaints: found } = checkSettings({
    ...several,
    ...given(environment),
    ...given(texts),
  });
  // Faults of the environment alone are listed once.
  const own = found.filter((complaint) =>
    Object.keys(texts).includes(complaint.split(" ")[0] ?? ""),
  );
  complaints.push(...own.map((complaint) => `${label}: ${complaint}`));
  return config;
}

/** Returns the texts without absent and empty ones. */
function given(texts: SettingTexts): SettingTexts {
  return Object.fromEntries(
    Object.keys(texts)
      .filter((name) => textOf(texts, name))
      .map((name) => [name, texts[name]]),
  );
}

/** Returns complaints about a setting that is the same for two chains. */
function shared(entries: readonly Entry[], name: SettingName): string[] {
  return repeated(entries, ({ texts }) => (texts[name] ?? "").replace(/^0+/, "")).map(
    ({ label }) => `${label}: ${name} is another chain's already`,
  );
}

/** Returns complaints about names: in paths they must differ from each other, from ids and from other paths. */
function badNames(entries: readonly Entry[]): string[] {
  const pathName = ({ texts }: Entry) => pathNameOf(texts["NETWORK_NAME"]);
  const named = entries.filter(({ texts }) => texts["NETWORK_NAME"]);
  const complain = (unfit: Entry[], why: (path: string) => string) =>
    unfit.map((entry) => `${entry.label}: NETWORK_NAME ${why(pathName(entry))}`);
  return [
    ...complain(
      repeated(entries, pathName),
      (path) => `makes the path /${path}, which is another chain's already`,
    ),
    ...complain(
      named.filter((entry) => PATHS.has(pathName(entry))),
      (path) => `makes the path /${path}, which is the server's own`,
    ),
    ...complain(
      named.filter((entry) => /^[\d-]*$/.test(pathName(entry))),
      () => "must have a letter from a to z, since paths name the chain by it",
    ),
  ];
}

/** Returns entries with the same text as an earlier one. */
function repeated(entries: readonly Entry[], text: (entry: Entry) => string): Entry[] {
  return entries.filter((entry, index) => {
    const own = text(entry);
    return own !== "" && entries.slice(0, index).some((before) => text(before) === own);
  });
}
