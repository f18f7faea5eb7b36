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

/** A setting of the environment. Its type converts text to a value; the message of a failure completes a sentence that begins with the name. */
export type Setting = readonly [
  type: z.ZodType<unknown, string>,
  meaning: string,
  standard?: string,
];

/** All settings, in the order of their documentation. */
export const settings = {
  RPC_URL: [
    list(url("http:", "https:")),
    "Node to index, or several, comma-separated, in order of preference; else an embedded chain",
  ],
  RPC_WS_URL: [
    url("ws:", "wss:"),
    "WebSocket of a node that announces new blocks; without it the nodes are polled",
  ],
  DATABASE_URL: [
    databaseUrl,
    "PostgreSQL 15 or newer to keep everything in; else an embedded server",
  ],
  DATABASE_READ_URL: [databaseUrl, "Replica of that database that the API reads from"],
  DATABASE_PASSWORD: [
    z.string(),
    "Password for both, not percent-encoded, where their URLs have none",
  ],
  DATABASE_SCHEMA: [
    matching(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, "must be a lower-case SQL name"),
    "Schema of the tables, one per chain; else public, or devnet for the embedded chain",
  ],
  DATABASE_CONNECTIONS: [
    whole(6, 1000),
    "Most connections of one chain in one process; else 29, or 12 for a chain of CHAINS_FILE",
  ],
  CHAINS_FILE: [
    file,
    "File with the chains to serve, where there are several: docs/operations/chains.md",
  ],
  DATA_DIR: [folder, "Folder for everything embedded: database, chain, compilers", "./.periscope"],
  HOST: [z.string(), "Address to listen on", "127.0.0.1"],
  PORT: [whole(0, 65_535), "Port to listen on; 0 takes a free one", "4000"],
  OPERATIONS_PORT: [
    whole(0, 65_535),
    "Separate port for metrics and the full health report; else they are on PORT",
  ],
  ROLE: [
    oneOf("all", "indexer", "api"),
    "What this process does: all, or only indexer or api beside others on one database",
    "all",
  ],
  CHAIN_ID: [
    whole(1, Number.MAX_SAFE_INTEGER),
    "Id of the expected chain; a node of another chain is refused",
  ],
  START_BLOCK: [
    whole(0, Number.MAX_SAFE_INTEGER),
    "First block to index; lists and counts leave out everything before it",
    "0",
  ],
  TRACES: [
    oneOf("auto", "off"),
    "Internal transactions: auto when a node offers traces, off never",
    "auto",
  ],
  PROOFS: [
    oneOf("auto", "off"),
    "Check of blocks' hashes and roots: auto where the chain follows Ethereum's rules, off never",
    "auto",
  ],
  INDEXER_MEMORY_MB: [
    whole(64, 65_536),
    "Memory for the objects of a chain's indexer thread; beyond it the thread restarts",
    "2048",
  ],
  FINALITY_DEPTH: [whole(0, 1_000_000), "Blocks this far below the head are taken for final", "64"],
  ALLOW_RESET: [
    flag,
    "1: index again from the start when the chain's first block has changed; development chains always do",
    "0",
  ],
  POLL_INTERVAL_MS: [whole(50, 3_600_000), "Pause between two polls of the node's head", "500"],
  RPC_TIMEOUT_MS: [whole(100, 600_000), "Time limit of one request to a node", "30000"],
  RPC_CONCURRENCY: [whole(1, 1_000), "Most requests in flight to one node", "8"],
  STATEMENT_TIMEOUT_MS: [whole(100, 600_000), "Time limit of a database query by the API", "10000"],
  REQUEST_TIMEOUT_MS: [
    whole(100, 600_000),
    "Time limit for each step of a request to the API: receive it, answer it, send the answer",
    "30000",
  ],
  RATE_LIMIT: [
    whole(0, 1_000_000_000),
    "Requests to the API that one address may make a minute; 0 for no limit",
    "0",
  ],
  API_KEYS: [
    list(matching(/^[\w-]{8,128}$/, "must be keys of 8 to 128 letters, digits, - and _")),
    "API keys of 8 to 128 letters, digits, - and _, comma-separated; their requests are counted by key instead of by address",
  ],
  API_KEY_RATE_LIMIT: [
    whole(1, 1_000_000_000),
    "Requests to the API that one key may make a minute",
    "600",
  ],
  TRUSTED_PROXIES: [
    list(network),
    "Addresses or networks of proxies, comma-separated, whose X-Forwarded-For is trusted",
  ],
  PUBLIC_URL: [
    publicUrl,
    "URL at which clients reach this server, for links to itself; else the request's host",
  ],
  MCP_ORIGINS: [
    list(z.string()),
    "Origins, comma-separated, whose pages may use /mcp besides local ones and this server's; * for any",
  ],
  ROBOTS: [
    oneOf("allow", "disallow"),
    "allow: lets search engines index the pages of transactions, blocks, addresses and tokens",
  ],
  SEND_TRANSACTIONS: [
    flag,
    "0: refuse eth_sendRawTransaction instead of passing it on to the node",
    "1",
  ],
  ETH_RPC_BATCH_LIMIT: [whole(1, 100), "Most calls in a batch to /api/eth-rpc", "5"],
  NETWORK_NAME: [z.string(), "The chain's name, for people"],
  COIN_SYMBOL: [z.string(), "The coin's symbol, for people", "ETH"],
  LABELS_FILE: [
    file,
    "File with your own names of addresses, .json or .csv: docs/operations/labels.md; SIGHUP reads it again",
  ],
  STATIC_REWARD: [
    matching(/^\d{1,30}$/, "must be an amount in wei").transform(BigInt),
    "Reward of a block's producer besides the fees, in wei",
    "0",
  ],
  PRICE_FEED_USD: [address, "Aggregator contract on the chain with the coin's price in US dollars"],
  PRICE_FEED_BTC: [address, "Aggregator contract on the chain with the coin's price in bitcoins"],
  SOLC_LIST_URL: [
    url("http:", "https:"),
    "List of Solidity compilers to fetch missing ones from; without it none is fetched",
  ],
  VYPER_LIST_URL: [
    url("http:", "https:"),
    "List of Vyper compilers to fetch missing ones from; without it none is fetched",
  ],
  VERIFIER_CONCURRENCY: [whole(1, 64), "Compilers that run at once", "1"],
  LOG_LEVEL: [
    oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    "Lowest level that is logged: trace, debug, info, warn, error, fatal or silent",
    "info",
  ],
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The settings' values by name; those without a default may be undefined. */
export type Config = {
  readonly [Name in SettingName]:
    | z.output<(typeof settings)[Name][0]>
    | ((typeof settings)[Name] extends { length: 3 } ? never : undefined);
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
  const values = Object.entries<Setting>(settings).map(([name, [type, , standard]]) => {
    const text = textOf(texts, name) || standard;
    if (text === undefined) return [name, undefined];
    const parsed = type.safeParse(text);
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
  const port = Number(textOf(texts, "PORT") || settings.PORT[2]);
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
