import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigError } from "../../src/core/errors.ts";
import {
  loadConfig,
  type Setting,
  secretsOf,
  settings,
  settingWarnings,
} from "../../src/settings/config.ts";

function complaintsAbout(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n").slice(1);
    throw error;
  }
  return [];
}

test("an empty environment is a complete configuration", () => {
  const config = loadConfig({});
  expect(config).toMatchObject({ HOST: "127.0.0.1", PORT: 4000, ROLE: "all", START_BLOCK: 0 });
  expect(config.DATA_DIR).toBe(path.resolve(".periscope"));
  expect(config.RPC_URL).toBeUndefined();
});

test("an empty or blank value counts as absent", () => {
  expect(loadConfig({ PORT: "", RPC_URL: "  ", CHAIN_ID: "" })).toEqual(loadConfig({}));
});

test("the configuration cannot be changed", () => {
  expect(Object.isFrozen(loadConfig({}))).toBe(true);
});

test.each(Object.keys(settings).filter((name) => name.endsWith("_DIR")))(
  "%s may not be where a file stands",
  (name) => {
    const { filename, dirname } = import.meta;
    for (const folder of [filename, path.join(filename, "below")]) {
      expect(complaintsAbout({ [name]: folder })).toEqual([
        `  ${name} must be a folder that this user can read, but a file stands in its place or in the path to it`,
      ]);
    }
    for (const folder of [dirname, path.join(dirname, "new", "folder")]) {
      expect(complaintsAbout({ [name]: folder })).toEqual([]);
    }
  },
);

test.each(["DATABASE_URL", "DATABASE_READ_URL"])("%s names certificates that are there", (name) => {
  const authority = path.join(import.meta.dirname, "../fixtures/tls/authority.crt");
  const complaints = (file: string) => {
    const url = `postgres://localhost/x?sslmode=verify-full&sslrootcert=${file}`;
    return complaintsAbout({ DATABASE_URL: "postgres://localhost/x", [name]: url });
  };
  const words = `  ${name} must name as sslrootcert a PEM file that this user can read, but `;
  expect(complaints(authority)).toEqual([]);
  expect(complaints("system")).toEqual([]);
  expect(complaints("/nowhere")).toEqual([`${words}there is none`]);
  expect(complaints(import.meta.dirname)).toEqual([`${words}a folder stands in its place`]);
  expect(complaints("/dev/null")).toEqual([`${words}the file has no certificate`]);
});

test("nodes are a list in the order given", () => {
  const config = loadConfig({ RPC_URL: "https://first.example/key , http://second.example" });
  expect(config.RPC_URL).toEqual(["https://first.example/key", "http://second.example"]);
});

test.each([
  ["RPC_URL", "ws://node.example"],
  ["RPC_URL", "http://a.example,b.example"],
  ["RPC_URL", "http://a.example/key http://b.example"],
  ["DATABASE_URL", "mysql://localhost/x"],
  ["DATABASE_URL", "postgres://localhost/x?channel_binding=require"],
  ["DATABASE_URL", "postgres://localhost/x?sslmode=require&client_encoding=LATIN1"],
  ["DATABASE_URL", "postgres://localhost/x?application_name=mine"],
  ["DATABASE_SCHEMA", "pg_catalog"],
  ["DATABASE_SCHEMA", 'a"b'],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "80.5"],
  ["PORT", "0x50"],
  ["ROLE", "writer"],
  ["CHAIN_ID", "0"],
  ["ALLOW_RESET", "yes"],
  ["STATIC_REWARD", "2e18"],
  ["PRICE_FEED_USD", "0x1234"],
  ["RPC_TIMEOUT_MS", "99999999999999999999"],
  ["LOG_LEVEL", "verbose"],
  ["PUBLIC_URL", "explorer.example"],
  ["PUBLIC_URL", "https://user@explorer.example"],
  ["PUBLIC_URL", "https://explorer.example/?a=b"],
])("%s=%s is refused by a sentence that begins with the name", (name, value) => {
  expect(complaintsAbout({ [name]: value })).toEqual([expect.stringMatching(`^ *${name} must `)]);
});

test.each(["RPC_URL", "API_KEYS", "TRUSTED_PROXIES"])("empty entries of %s are refused", (name) => {
  const items = { RPC_URL: "http://a.example", API_KEYS: "abcdefgh", TRUSTED_PROXIES: "10.0.0.1" };
  const item = items[name as keyof typeof items];
  for (const value of [",", `${item},`, `,${item}`, `${item}, ,${item}`]) {
    expect(complaintsAbout({ [name]: value })).toEqual([`  ${name} must have no empty entry`]);
  }
});

test("everything that is wrong is said at once", () => {
  const complaints = complaintsAbout({ PORT: "x", ROLE: "x", TRACES: "x", LOG_LEVEL: "x" });
  expect(complaints).toHaveLength(4);
});

test("settings that contradict each other are refused", () => {
  expect(complaintsAbout({ ROLE: "api" })[0]).toContain("ROLE=api needs DATABASE_URL and RPC_URL");
  expect(complaintsAbout({ DATABASE_READ_URL: "postgres://replica/x" })[0]).toContain(
    "DATABASE_READ_URL needs DATABASE_URL",
  );
  expect(complaintsAbout({ OPERATIONS_PORT: "4000" })[0]).toContain("must differ from PORT");
  expect(complaintsAbout({ PORT: "0", OPERATIONS_PORT: "0" })).toEqual([]);
  expect(complaintsAbout({ RPC_WS_URL: "ws://node" })[0]).toContain("RPC_WS_URL needs RPC_URL");
  expect(complaintsAbout({ START_BLOCK: "5" })[0]).toContain("START_BLOCK needs RPC_URL");
});

test("no complaint repeats a value, which may be a secret in the wrong place", () => {
  const names = Object.keys(settings);
  const complaints = complaintsAbout(Object.fromEntries(names.map((name) => [name, "s3cret!"])));
  expect(complaints.length).toBeGreaterThan(15);
  expect(complaints.join()).not.toContain("s3cret");
});

test("docs/settings.md has every setting with its default and meaning, and no other", () => {
  const readme = readFileSync(path.join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  const rows = readme.split("\n").filter((line) => /^\| `[A-Z_]+` \|/.test(line));
  const expected = Object.entries<Setting>(settings).map(([name, [, meaning, standard]]) => {
    const value = standard === undefined ? "" : `\`${standard}\``;
    return `| \`${name}\` | ${value} | ${meaning} |`;
  });
  expect(rows).toEqual(expected);
});

test("a database's password is taken as it was meant, or refused with words that do not repeat it", () => {
  const password = fc.string({
    minLength: 6,
    maxLength: 20,
    unit: fc.constantFrom(..."aZ09/@?#%:&=+[]\\\"' "),
  });
  fc.assert(
    fc.property(password, fc.constantFrom("/db", "", "/db?sslmode=require"), (secret, rest) => {
      const encoded = `postgres://user:${encodeURIComponent(secret)}@host:5432${rest}`;
      expect(complaintsAbout({ DATABASE_URL: encoded })).toEqual([]);
      expect(secretsOf(loadConfig({ DATABASE_URL: encoded }))).toContain(secret);

      const bare = { DATABASE_URL: `postgres://user:${secret}@host:5432${rest}` };
      const [complaint] = complaintsAbout(bare);
      if (complaint === undefined) {
        const { hostname, password: read } = new URL(loadConfig(bare).DATABASE_URL ?? "");
        expect([hostname, secretsOf(loadConfig(bare))]).toEqual([
          "host",
          [decodeURIComponent(read)],
        ]);
      } else {
        expect(complaint).toContain("percent-encode");
        expect(complaint).not.toContain(secret);
      }
    }),
    {
      examples: [
        ["12/34@x", "/db"],
        ["100%sure", "/db"],
        ["a@b@c@", "/db"],
      ],
    },
  );
});

test("a setting that is one slip away from a known one is named, and other programs' names are not", () => {
  const slips = Object.keys(settings)
    .filter((name) => name.length > 6)
    .flatMap((name) => {
      const middle = name.length >> 1;
      const [before, at, after] = [
        name.slice(0, middle),
        name[middle] ?? "",
        name.slice(middle + 1),
      ];
      return [
        [name, before + after],
        [name, `${before}${at}${at}${after}`],
        [name, `${before}X${after}`],
        [name, `${before.slice(0, -1)}${at}${before.at(-1)}${after}`],
        [name, name.toLowerCase()],
        [name, name.replaceAll("_", "")],
        [name, `${name}S`],
      ];
    })
    .filter(([name, slip]) => slip !== name && !Object.hasOwn(settings, slip ?? ""));
  for (const [name, slip = ""] of slips) {
    expect(settingWarnings({ [slip]: "x" }).join(), slip).toContain(
      `${slip} is not a setting; is `,
    );
    expect(settingWarnings({ [slip]: "" }), name).toEqual([]);
  }
  expect(settingWarnings({ DATABSE_URL: "x" })).toEqual([
    "DATABSE_URL is not a setting; is DATABASE_URL meant?",
  ]);
  const others = ["PATH", "HOME", "HOSTNAME", "PORTS", "LOGNAME", "DB_URL", "PGHOST", "NODE_ENV"];
  expect(settingWarnings(Object.fromEntries(others.map((name) => [name, "x"])))).toEqual([]);
});

test("a setting of an earlier version is named, with what takes its place", () => {
  expect(settingWarnings({ SOLC_CACHE_DIR: import.meta.dirname })).toEqual([
    "SOLC_CACHE_DIR is no longer a setting: compilers belong into the folder solc of DATA_DIR",
  ]);
});
