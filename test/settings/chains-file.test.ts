import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CHAIN_SETTINGS, loadSettings } from "../../src/settings/chains-file.ts";
import { createTestApp } from "../support/app.ts";
import { createChainsFile, type FileChain } from "../support/chains-file.ts";
import { readComposition } from "../support/compose.ts";

const file = createChainsFile();
afterAll(() => file.remove());

const north = { CHAIN_ID: 1, NETWORK_NAME: "North", RPC_URL: "http://north", DATABASE_SCHEMA: "n" };
const south = { CHAIN_ID: 2, NETWORK_NAME: "South", RPC_URL: "http://south", DATABASE_SCHEMA: "s" };

function load(environment: Record<string, string> = {}) {
  return loadSettings({ CHAINS_FILE: file.path, ...environment });
}

/** Everything that is wrong with these chains, and with the environment around them. */
function complaintsAbout(
  chains: readonly unknown[],
  environment?: Record<string, string>,
): string[] {
  file.write(chains as FileChain[]);
  try {
    load(environment);
    return [];
  } catch (error) {
    return (error as Error).message
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
  }
}

test("without a file the environment is the one chain", () => {
  const { common, chains } = loadSettings({ CHAIN_ID: "5" });
  expect(chains).toEqual([common]);
});

test("a chain has what it says, else what the environment says, else the default", () => {
  file.write([{ ...north, FINALITY_DEPTH: 3 }, south]);
  const { chains } = load({ FINALITY_DEPTH: "9", TRACES: "off" });
  expect(chains).toMatchObject([
    {
      CHAIN_ID: 1,
      RPC_URL: ["http://north"],
      FINALITY_DEPTH: 3,
      TRACES: "off",
      RPC_CONCURRENCY: 8,
    },
    {
      CHAIN_ID: 2,
      RPC_URL: ["http://south"],
      FINALITY_DEPTH: 9,
      TRACES: "off",
      RPC_CONCURRENCY: 8,
    },
  ]);
});

test("everything that is wrong is said at once, with the chain and the key, and what is common once", () => {
  const { RPC_URL: _, ...nodeless } = south;
  const bad = [{ ...north, TRACES: "x", NODE: "y", PROOFS: true }, nodeless, 7];
  expect(complaintsAbout(bad, { PORT: "x", RPC_URL: "http://node" }).toSorted()).toEqual(
    [
      "PORT must be a whole number from 0 to 65535",
      "RPC_URL is a chain's own: it belongs into CHAINS_FILE",
      "North: TRACES must be auto or off",
      "North: NODE is not a setting of a chain",
      "North: PROOFS must be text or a number",
      "South: RPC_URL is missing",
      "chain 3: must be an object of settings",
      "chain 3: CHAIN_ID is missing",
      "chain 3: RPC_URL is missing",
      "chain 3: DATABASE_SCHEMA is missing",
    ].toSorted(),
  );
});

test.each(["CHAIN_ID", "RPC_URL", "DATABASE_SCHEMA"])("%s must not be empty", (key) => {
  for (const empty of ["", " "]) {
    expect(complaintsAbout([north, { ...south, [key]: empty }])).toContain(
      `South: ${key} is missing`,
    );
  }
});

test.each<[what: string, chain: FileChain, complaint: string]>([
  ["id", { ...south, CHAIN_ID: "01" }, "CHAIN_ID is another chain's already"],
  ["schema", { ...south, DATABASE_SCHEMA: "n" }, "DATABASE_SCHEMA is another chain's already"],
  [
    "name in paths",
    { ...south, NETWORK_NAME: " north!" },
    "NETWORK_NAME makes the path /north, which is another chain's already",
  ],
])("no two chains have the same %s", (_what, chain, complaint) => {
  const label = String(chain["NETWORK_NAME"]).trim();
  expect(complaintsAbout([north, chain])).toEqual([`${label}: ${complaint}`]);
});

test.each(["42", "!", "链", "链 1"])("no chain is called %s, which makes no path", (name) => {
  expect(complaintsAbout([{ ...north, NETWORK_NAME: name }])).toEqual([
    `${name}: NETWORK_NAME must have a letter from a to z, since paths name the chain by it`,
  ]);
});

test.each(["api", "Health", "openapi.json"])("no chain is called %s, like a path", (name) => {
  const path = name.toLowerCase().replace(".", "-");
  expect(complaintsAbout([{ ...north, NETWORK_NAME: name }])).toEqual([
    `${name}: NETWORK_NAME makes the path /${path}, which is the server's own`,
  ]);
});

test("a key that stands twice in an object is refused, since only one of its values can count", () => {
  const [one, other] = [north, south].map((chain) => JSON.stringify(chain));
  const twice = [
    [`{"chains": [${one?.slice(0, -1)},\n"CHAIN_\\u0049D": 3}, ${other}]}`, "CHAIN_ID", 2],
    [`{"chains": [],\n\n"chains": [${one}, ${other}]}`, "chains", 3],
  ] as const;
  for (const [content, key, line] of twice) {
    file.spoil(content);
    expect(() => load()).toThrow(
      `CHAINS_FILE has ${key} twice in one object, again at line ${line}`,
    );
  }
  file.spoil(`{"chains": [${JSON.stringify({ ...north, COIN_SYMBOL: '{"RPC_URL":' })}, ${other}]}`);
  expect(load().chains).toHaveLength(2);
});

test("a byte order mark at the start is ignored, another encoding refused", () => {
  const content = JSON.stringify({ chains: [north] });
  file.spoil(`\uFEFF${content}`);
  expect(load().chains).toHaveLength(1);
  for (const bytes of [Buffer.from(`\uFEFF${content}`, "utf16le"), Buffer.from("é", "latin1")]) {
    file.spoil(bytes);
    expect(() => load()).toThrow("CHAINS_FILE must be saved as UTF-8");
  }
});

test("no chain is called like a path of the server's", async () => {
  const { app, close } = await createTestApp();
  const routes = app.printRoutes({ commonPrefix: false, includeHooks: false });
  const names = new Set(
    [...routes.matchAll(/^.{4}[├└]── ([\w.-]+)/gm)].map(([, name = ""]) => name),
  );
  expect(names.size).toBeGreaterThan(20);
  const free = [...names].filter(
    (name) => complaintsAbout([{ ...north, NETWORK_NAME: name }]).length === 0,
  );
  await close();
  expect(free).toEqual([]);
});

test.each([
  ["nothing", "", /^CHAINS_FILE must hold .* but it ends too early$/],
  [
    "an end too early",
    '{"chains": [{"a": "s3cret"},',
    /^CHAINS_FILE must hold .* but it ends too early$/,
  ],
  ["no JSON", "s3cret", /^CHAINS_FILE must hold .* but it is no JSON$/],
  [
    "a comma too many",
    '{"chains": [{\n  "a": "s3cret",\n}]}',
    /^CHAINS_FILE must hold .* but it is no JSON from line 3 column 1 on$/,
  ],
  ["something else", '["s3cret"]', /^CHAINS_FILE must hold \{"chains"/],
  ["more than chains", '{"chains": [{}], "s3cret": 1}', /^CHAINS_FILE must hold \{"chains"/],
  ["no chain", '{"chains": []}', /^CHAINS_FILE must hold \{"chains"/],
])("a file with %s is refused, and not repeated", (_what, text, complaint) => {
  file.spoil(text);
  const words = (() => {
    try {
      return String(load());
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(words.split("\n  ")[1]).toMatch(complaint);
  expect(words).not.toContain("s3cret");
});

test.each([
  ["/nowhere/chains.json", "there is none"],
  [import.meta.dirname, "a folder stands in its place"],
  [`${import.meta.filename}/x`, "a file stands in its place or in the path to it"],
])("a path without a file, %s, is told with its setting", (file, fault) => {
  expect(() => loadSettings({ CHAINS_FILE: file })).toThrow(
    `CHAINS_FILE must be a file that this user can read, but ${fault}`,
  );
});

describe("the documents", () => {
  const read = (name: string) =>
    readFileSync(path.join(import.meta.dirname, "../..", name), "utf8");
  const page = read("docs/operations/chains.md");

  test("name every setting that a chain may have", () => {
    const [, listed = ""] = page.split("A chain is an object");
    const [names = ""] = listed.split("All chains share the other settings");
    const told = new Set([...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name));
    expect([...told].toSorted()).toEqual(CHAIN_SETTINGS.toSorted());
  });

  test("have examples that are taken as they stand", () => {
    const [, shown = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
    for (const text of [shown, read("docs/operations/chains/two-anvils.json")]) {
      file.spoil(text);
      expect(load().chains).toHaveLength(2);
    }
  });

  test("have a composition whose services can use its file", () => {
    const [services, laidOver] = ["docker-compose.yml", "docker-compose.chains.yml"].map((name) =>
      readComposition(read(name)),
    );
    file.spoil(read("docs/operations/chains/two-anvils.json"));
    for (const name of ["indexer", "api"]) {
      const environment = { ...services?.[name]?.environment, ...laidOver?.[name]?.environment };
      expect(environment["CHAINS_FILE"]).toBe("/etc/periscope/chains.json");
      const { chains } = loadSettings({ ...environment, CHAINS_FILE: file.path });
      expect(chains).toHaveLength(2);
    }
  });
});
