import net from "node:net";
import path from "node:path";
import { z } from "zod";
import { type Address, isAddress, lowerAddress } from "./core/address.ts";
import { ConfigError } from "./core/errors.ts";
import { secretsOfDatabaseUrl, secretsOfUrl } from "./core/secrets.ts";

/** A setting of the environment. */
export interface Setting {
  /** Text that stands in when the setting is absent or empty; null when it may stay absent. */
  default: string | null;
  /** One line for people. */
  meaning: string;
  /** Text to value; the message of a failure completes a sentence that begins with the name. */
  schema: z.ZodType<unknown, string>;
}

/** Every setting there is, in the order in which they are explained. */
export const settings = {
  RPC_URL: {
    default: null,
    meaning:
      "Node to index, or several, comma-separated, in order of preference; else an embedded chain",
    schema: z
      .string()
      .transform(commaSeparated)
      .pipe(z.array(url("http:", "https:")).nonempty({ error: "must name a node" })),
  },
  RPC_WS_URL: {
    default: null,
    meaning: "WebSocket of a node that announces new blocks; without it the nodes are polled",
    schema: url("ws:", "wss:"),
  },
  DATABASE_URL: {
    default: null,
    meaning: "PostgreSQL 15 or newer to keep everything in; else an embedded server",
    schema: databaseUrl(),
  },
  DATABASE_READ_URL: {
    default: null,
    meaning: "Replica of that database that the API reads from",
    schema: databaseUrl(),
  },
  DATABASE_PASSWORD: {
    default: null,
    meaning: "Password of both, as it stands, where their URLs have none",
    schema: z.string(),
  },
  DATABASE_SCHEMA: {
    default: null,
    meaning: "Schema of the tables, one per chain; else public, or devnet for the embedded chain",
    schema: matching(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, "must be a lower-case SQL name"),
  },
  DATA_DIR: {
    default: "./.periscope",
    meaning: "Folder for everything embedded: database, chain, compilers",
    schema: folder(),
  },
  HOST: { default: "127.0.0.1", meaning: "Address to listen on", schema: z.string() },
  PORT: {
    default: "4000",
    meaning: "Port to listen on; 0 takes a free one",
    schema: whole(0, 65_535),
  },
  OPERATIONS_PORT: {
    default: null,
    meaning: "Port for metrics and the whole health alone; without it they are on PORT",
    schema: whole(0, 65_535),
  },
  ROLE: {
    default: "all",
    meaning: "What this process does: all, or only indexer or api beside others on one database",
    schema: oneOf("all", "indexer", "api"),
  },
  CHAIN_ID: {
    default: null,
    meaning: "Chain to expect; a node of another one is refused",
    schema: whole(1, Number.MAX_SAFE_INTEGER),
  },
  START_BLOCK: {
    default: "0",
    meaning: "First block to index; balances and counts know nothing of what was before it",
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
      "Hashes and roots of blocks recomputed: auto where the chain follows Ethereum's, off never",
    schema: oneOf("auto", "off"),
  },
  FINALITY_DEPTH: {
    default: "64",
    meaning: "Blocks this far below the head are taken for final",
    schema: whole(0, 1_000_000),
  },
  ALLOW_RESET: {
    default: "0",
    meaning:
      "1: index anew when the chain's first block changed, as is always done on development chains",
    schema: flag(),
  },
  POLL_INTERVAL_MS: {
    default: "500",
    meaning: "Pause between two looks at the node's head",
    schema: whole(50, 3_600_000),
  },
  RPC_TIMEOUT_MS: {
    default: "30000",
    meaning: "Time limit of one request to a node",
    schema: whole(100, 600_000),
  },
  RPC_BATCH_SIZE: {
    default: "100",
    meaning: "Calls in one request to a node at most",
    schema: whole(1, 10_000),
  },
  RPC_CONCURRENCY: {
    default: "8",
    meaning: "Requests in flight at one node at most",
    schema: whole(1, 1_000),
  },
  STATEMENT_TIMEOUT_MS: {
    default: "10000",
    meaning: "Time limit of a query that the API asks the database",
    schema: whole(100, 600_000),
  },
  REQUEST_TIMEOUT_MS: {
    default: "30000",
    meaning: "Time limit for a request to the API to arrive, and for its answer to be taken",
    schema: whole(100, 600_000),
  },
  RATE_LIMIT: {
    default: "0",
    meaning: "Requests to the API that one address may make a minute; 0 for no limit",
    schema: whole(0, 1_000_000_000),
  },
  API_KEYS: {
    default: null,
    meaning: "Keys, comma-separated, whose holders are counted by key instead of by address",
    schema: z
      .string()
      .transform(commaSeparated)
      .pipe(z.array(matching(/^[\w-]{8,128}$/, "must be keys of 8 to 128 letters and digits"))),
  },
  API_KEY_RATE_LIMIT: {
    default: "600",
    meaning: "Requests to the API that one key may make a minute",
    schema: whole(1, 1_000_000_000),
  },
  TRUSTED_PROXIES: {
    default: null,
    meaning:
      "Addresses or networks of proxies, comma-separated, whose X-Forwarded-For tells the client",
    schema: z.string().transform(commaSeparated).pipe(z.array(network())),
  },
  PUBLIC_URL: {
    default: null,
    meaning:
      "Where clients reach this server, for links to itself; else what a request names as its host",
    schema: publicUrl(),
  },
  SEND_TRANSACTIONS: {
    default: "1",
    meaning: "0: refuse eth_sendRawTransaction instead of passing it on to the node",
    schema: flag(),
  },
  ETH_RPC_BATCH_LIMIT: {
    default: "5",
    meaning: "Most calls in a batch to /api/eth-rpc",
    schema: whole(1, 100),
  },
  NETWORK_NAME: { default: null, meaning: "The chain's name, for people", schema: z.string() },
  COIN_SYMBOL: { default: "ETH", meaning: "The coin's symbol, for people", schema: z.string() },
  STATIC_REWARD: {
    default: "0",
    meaning: "What a block's producer gets besides its fees, in wei",
    schema: matching(/^\d{1,30}$/, "must be an amount in wei").transform(BigInt),
  },
  PRICE_FEED_USD: {
    default: null,
    meaning: "Aggregator contract on the chain that tells the coin's price in US dollars",
    schema: address(),
  },
  PRICE_FEED_BTC: {
    default: null,
    meaning: "Aggregator contract on the chain that tells the coin's price in bitcoins",
    schema: address(),
  },
  SOLC_CACHE_DIR: {
    default: null,
    meaning: "Folder of Solidity compilers; else solc in DATA_DIR",
    schema: folder(),
  },
  SOLC_LIST_URL: {
    default: null,
    meaning: "List of Solidity compilers to fetch missing ones from; without it none is fetched",
    schema: url("http:", "https:"),
  },
  VYPER_CACHE_DIR: {
    default: null,
    meaning: "Folder of Vyper compilers; else vyper in DATA_DIR",
    schema: folder(),
  },
  VYPER_LIST_URL: {
    default: null,
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
    meaning: "What is logged at least: trace, debug, info, warn, error, fatal or silent",
    schema: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof settings;

/** The settings' values by name; those without a default may be undefined. */
export type Config = {
  readonly [Name in SettingName]:
    | z.output<(typeof settings)[Name]["schema"]>
    | ((typeof settings)[Name]["default"] extends null ? undefined : never);
};

/**
 * The settings in an environment (`process.env`), checked. An empty value counts as absent. Throws one `ConfigError`
 * that lists everything that is wrong, and repeats no value: it may be a secret in the wrong place.
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const textOf = (name: string): string => environment[name]?.trim() ?? "";
  const complaints: string[] = [];
  const values = Object.entries<Setting>(settings).map(([name, setting]) => {
    const text = textOf(name) || setting.default;
    if (text === null) return [name, undefined];
    const parsed = setting.schema.safeParse(text);
    if (!parsed.success) complaints.push(`${name} ${parsed.error.issues[0]?.message}`);
    return [name, parsed.data];
  });
  complaints.push(...contradictions(textOf));
  if (complaints.length > 0) {
    throw new ConfigError(`these settings cannot be used:\n  ${complaints.join("\n  ")}`);
  }
  return Object.freeze(withPassword(Object.fromEntries(values) as Config));
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

/** The passwords and keys in the settings, which must appear nowhere. */
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

function contradictions(textOf: (name: SettingName) => string): string[] {
  const has = (name: SettingName): boolean => textOf(name) !== "";
  const isPart = ["api", "indexer"].includes(textOf("ROLE"));
  const rules: [broken: boolean, complaint: string][] = [
    [
      isPart && !(has("DATABASE_URL") && has("RPC_URL")),
      `ROLE=${textOf("ROLE")} needs DATABASE_URL and RPC_URL: what is embedded belongs to one process`,
    ],
    [has("DATABASE_PASSWORD") && !has("DATABASE_URL"), "DATABASE_PASSWORD needs DATABASE_URL"],
    [has("DATABASE_READ_URL") && !has("DATABASE_URL"), "DATABASE_READ_URL needs DATABASE_URL"],
    [has("RPC_WS_URL") && !has("RPC_URL"), "RPC_WS_URL needs RPC_URL"],
    [!["", "0"].includes(textOf("START_BLOCK")) && !has("RPC_URL"), "START_BLOCK needs RPC_URL"],
  ];
  return rules.filter(([broken]) => broken).map(([, complaint]) => complaint);
}

function commaSeparated(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function url(...protocols: string[]): z.ZodType<string, string> {
  const kinds = protocols.map((protocol) => `${protocol}//…`).join(" or ");
  return z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ""), {
    error: `must be a URL like ${kinds}`,
  });
}

/** A URL that paths can be appended to; for the program without its slash at the end. */
function publicUrl(): z.ZodType<string, string> {
  const plain = matching(/^[^?#@]+$/, "must be a URL without user, query or fragment");
  return z
    .string()
    .pipe(url("http:", "https:"))
    .pipe(plain)
    .transform((text) => text.replace(/\/+$/, ""));
}

/** A URL whose password cannot be mistaken for something else: what is not encoded in it would become host, port or path. */
function databaseUrl(): z.ZodType<string, string> {
  const error =
    "must be a URL like postgres://user:password@host:5432/name; percent-encode what is special in its password " +
    "(% as %25, / as %2F, @ as %40, ? as %3F, # as %23, : as %3A)";
  return z.string().refine(
    (text) => {
      const parts = /^postgres(?:ql)?:\/\/(?:[^/@?#]*@)?[^/@?#]*(?:[/?#][^@]*)?$/i.exec(text);
      return parts !== null && URL.canParse(text) && isEncoded(text);
    },
    { error },
  );
}

function isEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text) && decodes(text);
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function whole(minimum: number, maximum: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, { error })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error });
}

function oneOf<const Name extends string>(...names: [Name, ...Name[]]) {
  const error = `must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return z.string().pipe(z.enum(names, { error }));
}

function flag(): z.ZodType<boolean, string> {
  return oneOf("0", "1").transform((text) => text === "1");
}

function matching(pattern: RegExp, error: string): z.ZodString {
  return z.string().regex(pattern, { error });
}

function address(): z.ZodType<Address, string> {
  return z.string().refine(isAddress, { error: "must be an address" }).transform(lowerAddress);
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`, or the name of a set of private networks. */
function network(): z.ZodType<string, string> {
  return z.string().refine(
    (text) => {
      if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
      const [, address = "", bits = "0"] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
      return net.isIP(address) > 0 && Number(bits) <= (net.isIPv6(address) ? 128 : 32);
    },
    { error: "must be addresses, networks like 10.0.0.0/8, loopback, linklocal or uniquelocal" },
  );
}

function folder(): z.ZodType<string, string> {
  return z.string().transform((text) => path.resolve(text));
}
