import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { freePort } from "../src/process/free-port.ts";
import { loadConfig, settings } from "../src/settings/config.ts";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { readComposition } from "./support/compose.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const ROOT = path.join(import.meta.dirname, "..");
const PATIENCE = { timeout: 30_000, interval: 100 };
/** `nobody`; only root can run a program as another user. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const run = promisify(execFile);

/** An instruction of the Dockerfile. */
type Instruction = [name: string, rest: string];

/** The instructions of the Dockerfile's last stage, in order. */
async function instructions(): Promise<Instruction[]> {
  const text = await readFile(path.join(ROOT, "Dockerfile"), "utf8");
  const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
  const all = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line): Instruction => {
      const [name = ""] = line.split(" ", 1);
      return [name, line.slice(name.length + 1)];
    });
  return all.slice(all.findLastIndex(([name]) => name === "FROM"));
}

async function single(name: string): Promise<string> {
  const found = (await instructions()).filter(([instruction]) => instruction === name);
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? "";
}

describe("the image", () => {
  let folder: string;
  let anvil: Anvil;
  let database: TestDatabase;
  let environment: Record<string, string>;

  beforeAll(async () => {
    [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
    folder = await mkdtemp(path.join(os.tmpdir(), "periscope-image-"));
    await chmod(folder, 0o755);
    await copyProductionPackages(path.join(folder, "app"));
    for (const [name, rest] of await instructions()) {
      if (name !== "COPY" || rest.startsWith("--from")) continue;
      const sources = rest.split(" ").slice(0, -1);
      for (const source of sources) {
        await cp(path.join(ROOT, source), path.join(folder, "app", source), { recursive: true });
      }
    }
    const data = path.join(folder, "data");
    await mkdir(data);
    if (UNPRIVILEGED.uid) await chown(data, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
    const declared = (await single("ENV"))
      .split(" ")
      .map((entry) => entry.split("=") as [string, string]);
    environment = {
      ...Object.fromEntries(declared),
      DATA_DIR: data,
      PATH: path.dirname(process.execPath),
    };
  });
  afterAll(async () => {
    await database?.drop();
    await anvil?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("declares no volume, which each start without a name for it would leave behind", async () => {
    expect((await instructions()).filter(([name]) => name === "VOLUME")).toEqual([]);
  });

  test("runs from production packages alone, as a user who may write nothing but its data", async () => {
    expect(await single("USER")).toBe("1000");
    const [command, ...args] = JSON.parse(await single("CMD")) as string[];
    const port = String(await freePort());
    const child = spawn(command ?? "", args, {
      cwd: path.join(folder, "app"),
      env: { ...environment, PORT: port, DATABASE_URL: database.url, RPC_URL: anvil.url },
      stdio: ["ignore", "ignore", "pipe"],
      ...UNPRIVILEGED,
    });
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaints += text;
    });
    const ended = once(child, "exit");
    const [, probe = ""] = /CMD (\[.*\])$/.exec(await single("HEALTHCHECK")) ?? [];
    const [probeCommand = "", ...probeArgs] = JSON.parse(probe) as string[];
    const isHealthy = () =>
      run(probeCommand, probeArgs, { env: { ...environment, PORT: port } }).then(
        () => true,
        () => false,
      );
    try {
      expect(await isHealthy()).toBe(false);
      await expect.poll(isHealthy, PATIENCE).toBe(true);
      const answers = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status;
      await expect.poll(answers, PATIENCE).toBe(200);
      const page = await fetch(`http://127.0.0.1:${port}/docs`);
      expect(page.status).toBe(200);
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
    expect(complaints).toBe("");
  });

  test("takes nothing along but what it copies", async () => {
    const kept = (await readFile(path.join(ROOT, ".dockerignore"), "utf8"))
      .trim()
      .split("\n")
      .slice(1);
    const dockerfile = await readFile(path.join(ROOT, "Dockerfile"), "utf8");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
      String(sources).split(" "),
    );
    expect(kept.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort());
  });
});

describe("the composition", () => {
  interface Service {
    environment?: Record<string, string>;
    profiles?: string[];
    depends_on?: Record<string, { condition: string }>;
    volumes?: string[];
    healthcheck?: { test: string[] };
    build?: { context: string };
    pull_policy?: string;
    read_only?: boolean;
    user?: string;
  }
  let services: Record<string, Service>;
  let volumes: Record<string, unknown>;

  beforeAll(async () => {
    const text = await readFile(path.join(ROOT, "docker-compose.yml"), "utf8");
    ({ services, volumes } = parse(text, { merge: true }));
  });

  test("runs an indexer and a server on one database, and an anvil on demand", () => {
    expect(Object.keys(services)).toEqual(["postgres", "indexer", "api", "anvil"]);
    expect(services["indexer"]?.environment).toMatchObject({ ROLE: "indexer" });
    expect(services["api"]?.environment).toMatchObject({ ROLE: "api" });
    expect(services["api"]?.environment?.["RATE_LIMIT"]).toMatch(/:-[1-9]\d*\}$/);
    expect(services["anvil"]?.profiles).toEqual(["devnet"]);
    for (const name of ["indexer", "api"]) {
      expect(services[name]).toMatchObject({ image: "periscope", read_only: true });
      expect(services[name]?.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
    }
    expect(services["postgres"]?.healthcheck?.test[1]).toContain("--dbname=periscope");
  });

  test("sets what there is to be set", () => {
    for (const name of ["indexer", "api"]) {
      for (const setting of Object.keys(services[name]?.environment ?? {})) {
        expect(Object.keys(settings)).toContain(setting);
      }
    }
  });

  test("says which Compose it needs, and builds the image once, after an update too", async () => {
    const text = await readFile(path.join(ROOT, "docker-compose.yml"), "utf8");
    expect(text).toContain("Docker Compose 2.24.0 or newer");
    expect(services["api"]).toMatchObject({ pull_policy: "build", build: { context: "." } });
    expect(services["indexer"]?.build).toBeUndefined();
    expect(services["indexer"]?.pull_policy).toBe("never");
  });

  describe("with a file .env", () => {
    const odd = "p/a@s?s#w%o:r'd$$ \"";
    const read = async (dotEnv: string, environment = {}) =>
      readComposition(
        await readFile(path.join(ROOT, "docker-compose.yml"), "utf8"),
        dotEnv,
        environment,
      );

    test("publishes the port of the host, and listens on the one that is published", async () => {
      for (const dotEnv of ["", "PORT=8080", "HOST=10.0.0.1\nPORT=8080\nDATA_DIR=./here"]) {
        const { api, indexer } = await read(dotEnv);
        const published = dotEnv === "" ? 4000 : 8080;
        expect(api?.ports).toEqual([`127.0.0.1:${published}:4000`]);
        for (const service of [api, indexer]) {
          expect(service?.environment).toMatchObject({
            PORT: "4000",
            HOST: "0.0.0.0",
            DATA_DIR: "/data",
          });
        }
      }
      const { api } = await read("BIND_ADDRESS=0.0.0.0");
      expect(api?.ports).toEqual(["0.0.0.0:4000:4000"]);
    });

    test("takes any password as it stands", async () => {
      const { postgres, api, indexer } = await read("", { POSTGRES_PASSWORD: odd });
      expect(postgres?.environment["POSTGRES_PASSWORD"]).toBe(odd);
      for (const service of [api, indexer]) {
        const { DATABASE_URL } = loadConfig(service?.environment ?? {});
        const url = new URL(DATABASE_URL ?? "");
        expect([url.host, url.pathname]).toEqual(["postgres", "/periscope"]);
        expect(decodeURIComponent(url.password)).toBe(odd);
      }
    });

    test("passes every other setting on, and is not needed", async () => {
      const { api } = await read(
        "TRUSTED_PROXIES=10.0.0.0/8\nRATE_LIMIT=50\nRPC_URL=https://node.example/key",
      );
      expect(loadConfig(api?.environment ?? {})).toMatchObject({
        TRUSTED_PROXIES: ["10.0.0.0/8"],
        RATE_LIMIT: 50,
        RPC_URL: ["https://node.example/key"],
        ROLE: "api",
      });
      const { indexer } = await read("");
      expect(loadConfig(indexer?.environment ?? {})).toMatchObject({
        RPC_URL: ["http://anvil:8545"],
        ROLE: "indexer",
      });
    });
  });

  test("keeps its data in volumes that it declares", () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(used.map((volume) => volume.split(":")[0]).sort()).toEqual(Object.keys(volumes).sort());
  });
});

/** Returns the packages that `npm ci --omit=dev --omit=optional` would install, by the lock file, from the installed ones. */
async function copyProductionPackages(target: string): Promise<void> {
  const lock = JSON.parse(await readFile(path.join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;
  };
  const wanted = Object.entries(lock.packages).filter(
    ([place, { dev, optional, devOptional }]) => place !== "" && !dev && !optional && !devOptional,
  );
  for (const [place] of wanted) {
    await cp(path.join(ROOT, place), path.join(target, place), {
      recursive: true,
      filter: (source) =>
        !/\.(?:map|d\.[cm]?ts)$/.test(source) &&
        !nested.test(source.slice(ROOT.length + place.length + 1)),
    });
  }
}

/** Packages inside packages have entries of their own. */
const nested = /(?:^|\/)node_modules(?:\/|$)/;
