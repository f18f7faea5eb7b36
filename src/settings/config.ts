import { z } from "zod";
import { ConfigError } from "../core/errors.ts";
import { secretsOfDatabaseUrl, secretsOfUrl } from "../core/secrets.ts";
import {
  address,
  databaseUrl,
  file,
  flag,
  folder,
  list,
  matching,
  network,
  oneOf,
  publicUrl,
  url,
  whole,
} from "./setting-types.ts";

/** A setting of the environment. */
export interface Setting {
  default?: string;
  meaning: string;
  /** Converts text to a value; the message of a failure completes a sentence that begins with the name. */
  schema: z.ZodType<unknown, string>;
}

/** All settings, in the order of their documentation. */
export const settings = {
  RPC_URL: {
    meaning:
      "Node to index, or several, comma-separated, in order of preference; else an embedded chain",
    schema: list(url("http:", "https:")),
  },
  RPC_WS_URL: {
    meaning: "WebSocket of a node that announces new blocks; without it the nodes are polled",
    schema: url("ws:", "wss:"),
  },
  DATABASE_URL: {
    meaning: "PostgreSQL 15 or newer to keep everything in; else an embedded server",
    schema: databaseUrl,
  },
  DATABASE_READ_URL: {
    meaning: "Replica of that database that the API reads from",
    schema: databaseUrl,
  },
  DATABASE_PASSWORD: {
    meaning: "Password for both, not percent-encoded, where their URLs have none",
    schema: z.string(),
  },
  DATABASE_SCHEMA: {
    meaning: "Schema of the tables, one per chain; else public, or devnet for the embedded chain",
    schema: matching(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, "must be a lower-case SQL name"),
  },
  DATABASE_CONNECTIONS: {
    meaning:
      "Most connections of one chain in one process; else 29, or 12 for a chain of CHAINS_FILE",
    schema: whole(6, 1000),
  },
  CHAINS_FILE: {
    meaning: "File with the chains to serve, where there are several: docs/operations/chains.md",
    schema: file,
  },
  DATA_DIR: {
    default: "./.periscope",
    meaning: "Folder for everything embedded: database, chain, compilers",
    schema: folder,
  },
  HOST: { default: "127.0.0.1", meaning: "Address to listen on", schema: z.string() },
  PORT: {
    default: "4000",
    meaning: "Port to listen on; 0 takes a free one",
    schema: whole(0, 65_535),
  },
  OPERATIONS_PORT: {
    meaning: "Separate port for metrics and the full health report; else they are on PORT",
    schema: whole(0, 65_535),
  },
  ROLE: {
    default: "all",
    meaning: "What this process does: all, or only indexer or api beside others on one database",
    schema: oneOf("all", "indexer", "api"),
  },
  CHAIN_ID: {
    meaning: "Id of the expected chain; a node of another chain is refused",
    schema: whole(1, Number.MAX_SAFE_INTEGER),
  },
  START_BLOCK: {
    default: "0",
    meaning: "First block to index; lists and counts leave out everything before it",
    schema: whole(0, Number.MAX_SAFE_INTEGER),
  },
  TRACES: {
    default: "auto",
    meaning: "Internal transactions: auto when a node offers traces, off never",
    schema: oneOf("auto", "off"),
  },
  PROOFS: {
    default: "auto",
    meaning:
      "Check of blocks' hashes and roots: auto where the chain follows Ethereum's rules, off never",
    schema: oneOf("auto", "off"),
  },
  INDEXER_MEMORY_MB: {
    default: "2048",
    meaning: "Memory for the objects of a chain's indexer thread; beyond it the thread restarts",
    schema: whole(64, 65_536),
  },
  FINALITY_DEPTH: {
    default: "64",
    meaning: "Blocks this far below the head are taken for final",
    schema: whole(0, 1_000_000),
  },
  ALLOW_RESET: {
    default: "0",
    meaning:
      "1: index again from the start when the chain's first block has changed; development chains always do",
    schema: flag,
  },
  POLL_INTERVAL_MS: {
    default: "500",
    meaning: "Pause between two polls of the node's head",
    schema: whole(50, 3_600_000),
  },
  RPC_TIMEOUT_MS: {
    default: "30000",
    meaning: "Time limit of one request to a node",
    schema: whole(100, 600_000),
  },
  RPC_CONCURRENCY: {
    default: "8",
    meaning: "Most requests in flight to one node",
    schema: whole(1, 1_000),
  },
  STATEMENT_TIMEOUT_MS: {
    default: "10000",
    meaning: "Time limit of a database query by the API",
    schema: whole(100, 600_000),
  },
  REQUEST_TIMEOUT_MS: {
    default: "30000",
    meaning:
      "Time limit for each step of a request to the API: receive it, answer it, send the answer",
    schema: whole(100, 600_000),
  },
  RATE_LIMIT: {
    default: "0",
    meaning: "Requests to the API that one address may make a minute; 0 for no limit",
    schema: whole(0, 1_000_000_000),
  },
  API_KEYS: {
    meaning:
      "API keys of 8 to 128 letters, digits, - and _, comma-separated; their requests are counted by key instead of by address",
    schema: list(matching(/^[\w-]{8,128}$/, "must be keys of 8 to 128 letters, digits, - and _")),
  },
  API_KEY_RATE_LIMIT: {
    default: "600",
    meaning: "Requests to the API that one key may make a minute",
    schema: whole(1, 1_000_000_000),
  },
  TRUSTED_PROXIES: {
    meaning: "Addresses or networks of proxies, comma-separated, whose X-Forwarded-For is trusted",
    schema: list(network),
  },
  PUBLIC_URL: {
    meaning: "URL at which clients reach this server, for links to itself; else the request's host",
    schema: publicUrl,
  },
  MCP_ORIGINS: {
    meaning:
      "Origins, comma-separated, whose pages may use /mcp besides local ones and this server's; * for any",
    schema: list(z.string()),
  },
  ROBOTS: {
    meaning:
      "allow: lets search engines index the pages of transactions, blocks, addresses and tokens",
    schema: oneOf("allow", "disallow"),
  },
  SEND_TRANSACTIONS: {
    default: "1",
    meaning: "0: refuse eth_sendRawTransaction instead of passing it on to the node",
    schema: flag,
  },
  ETH_RPC_BATCH_LIMIT: {
    default: "5",
    meaning: "Most calls in a batch to /api/eth-rpc",
    schema: whole(1, 100),
  },
  NETWORK_NAME: { meaning: "The chain's name, for people", schema: z.string() },
  COIN_SYMBOL: { default: "ETH", meaning: "The coin's symbol, for people", schema: z.string() },
  LABELS_FILE: {
    meaning:
      "File with your own names of addresses, .json or .csv: docs/operations/labels.md; SIGHUP reads it again",
    schema: file,
  },
  STATIC_REWARD: {
    default: "0",
    meaning: "Reward of a block's producer besides the fees, in wei",
    schema: matching(/^\d{1,30}$/, "must be an amount in wei").transform(BigInt),
  },
  PRICE_FEED_USD: {
    meaning: "Aggregator contract on the chain with the coin's price in US dollars",
    schema: address,
  },
  PRICE_FEED_BTC: {
    meaning: "Aggregator contract on the chain with the coin's price in bitcoins",
    schema: address,
  },
  SOLC_LIST_URL: {
    meaning: "List of Solidity compilers to fetch missing ones from; without it none is fetched",
    schema: url("http:", "https:"),
  },
  VYPER_LIST_URL: {
    meaning: "List of Vyper compilers to fetch missing ones from; without it none is fetched",
    schema: url("http:", "https:"),
  },
  VERIFIER_CONCURRENCY: {
    default: "1",
    meaning: "Compilers that run at once",
    schema: whole(1, 64),
  },
  LOG_LEVEL: {
    default: "info",
    meaning: "Lowest level that is logged: trace, debug, info, warn, error, fatal or silent",
    schema: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The settings' values by name; those without a default may be undefined. */
export type Config = {
  readonly [Name in SettingName]:
    | z.output<(typeof settings)[Name]["schema"]>
    | ((typeof settings)[Name] extends { default: string } ? never : undefined);
};

/** Faults in settings. Each is a sentence that begins with the setting's name and repeats no value. */
export class SettingsError extends ConfigError {
  constructor(complaints: readonly string[]) {
    super(`these settings cannot be used:\n  ${complaints.join("\n  ")}`);
  }
}

/** Texts by name; absent ones are undefined or empty. */
export type SettingTexts = Readonly<Record<string, string | undefined>>;

/** Checks the environment's settings; empty counts as absent. Throws one `SettingsError` with all faults and no value. */
export function loadConfig(environment: SettingTexts): Config {
  const { config, complaints } = checkSettings(environment);
  complaints.push(...contradictions(environment));
  if (complaints.length > 0) throw new SettingsError(complaints);
  return config;
}

const SHORTEST_MISSPELT = 6;

/** Settings of earlier versions, and what takes their place. */
const RETIRED: Readonly<Record<string, string>> = {
  RPC_BATCH_SIZE: "batches become smaller where a node refuses them",
  SOLC_CACHE_DIR: "compilers belong into the folder solc of DATA_DIR",
  VYPER_CACHE_DIR: "compilers belong into the folder vyper of DATA_DIR",
};

/** Returns a warning for each name of the environment that is one slip away from a setting, and for each retired setting. */
export function settingWarnings(environment: SettingTexts): string[] {
  const given = Object.keys(environment).filter((name) => textOf(environment, name) !== "");
  return given.flatMap((name) => {
    if (Object.hasOwn(settings, name)) return [];
    if (RETIRED[name]) return [`${name} is no longer a setting: ${RETIRED[name]}`];
    const meant = Object.keys(settings).find((setting) => isMisspelt(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting; is ${meant} meant?`];
  });
}

/** Returns whether two names are equal after removing at most one letter of each; case and underscores do not count. */
function isMisspelt(name: string, setting: string): boolean {
  const variants = (text: string): string[] => {
    const letters = text.toUpperCase().replaceAll("_", "");
    return [letters, ...[...letters].map((_, at) => letters.slice(0, at) + letters.slice(at + 1))];
  };
  const meant = new Set(variants(setting));
  return name.length >= SHORTEST_MISSPELT && variants(name).some((variant) => meant.has(variant));
}

/** Returns the settings and their faults; the settings are valid only without faults. */
export function checkSettings(texts: SettingTexts): { config: Config; complaints: string[] } {
  const complaints: string[] = [];
  const values = Object.entries<Setting>(settings).map(([name, setting]) => {
    const text = textOf(texts, name) || setting.default;
    if (text === undefined) return [name, undefined];
    const parsed = setting.schema.safeParse(text);
    if (!parsed.success) complaints.push(`${name} ${parsed.error.issues[0]?.message}`);
    return [name, parsed.data];
  });
  const config = Object.fromEntries(values) as Config;
  return {
    config: complaints.length > 0 ? config : Object.freeze(withPassword(config)),
    complaints,
  };
}

/** Returns the text of a setting; empty when it is absent. */
export function textOf(texts: SettingTexts, name: string): string {
  return texts[name]?.trim() ?? "";
}

function withPassword(config: Config): Config {
  const { DATABASE_PASSWORD: password, DATABASE_URL, DATABASE_READ_URL } = config;
  const complete = (text: string | undefined): string | undefined => {
    const url = text === undefined ? null : new URL(text);
    if (url?.password !== "" || password === undefined) return text;
    url.password = encodeURIComponent(password);
    return url.href;
  };
  return {
    ...config,
    DATABASE_URL: complete(DATABASE_URL),
    DATABASE_READ_URL: complete(DATABASE_READ_URL),
  };
}

/** Returns the passwords and keys in the settings, which must not be shown. */
export function secretsOf(config: Config): string[] {
  const urls = [
    ...(config.RPC_URL ?? []),
    config.RPC_WS_URL,
    config.SOLC_LIST_URL,
    config.VYPER_LIST_URL,
  ];
  const databases = [config.DATABASE_URL, config.DATABASE_READ_URL];
  return [
    ...urls.flatMap((url) => secretsOfUrl(url ?? "")),
    ...databases.flatMap((url) => secretsOfDatabaseUrl(url ?? "")),
    ...(config.API_KEYS ?? []),
    ...(config.DATABASE_PASSWORD === undefined ? [] : [config.DATABASE_PASSWORD]),
  ];
}

/** Returns complaints about contradictory settings. */
export function contradictions(texts: SettingTexts): string[] {
  const has = (name: SettingName): boolean => textOf(texts, name) !== "";
  const role = textOf(texts, "ROLE");
  const isPart = ["api", "indexer"].includes(role);
  const port = Number(textOf(texts, "PORT") || settings.PORT.default);
  const rules: [broken: boolean, complaint: string][] = [
    [
      isPart && !(has("DATABASE_URL") && has("RPC_URL")),
      `ROLE=${role} needs DATABASE_URL and RPC_URL: what is embedded belongs to one process`,
    ],
    [has("DATABASE_PASSWORD") && !has("DATABASE_URL"), "DATABASE_PASSWORD needs DATABASE_URL"],
    [has("DATABASE_READ_URL") && !has("DATABASE_URL"), "DATABASE_READ_URL needs DATABASE_URL"],
    [
      role !== "indexer" && port !== 0 && port === Number(textOf(texts, "OPERATIONS_PORT")),
      "OPERATIONS_PORT must differ from PORT",
    ],
    [has("RPC_WS_URL") && !has("RPC_URL"), "RPC_WS_URL needs RPC_URL"],
    [
      !["", "0"].includes(textOf(texts, "START_BLOCK")) && !has("RPC_URL"),
      "START_BLOCK needs RPC_URL",
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, complaint]) => complaint);
}
