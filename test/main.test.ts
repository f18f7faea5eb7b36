import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../src/process/child.ts";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { type Periscope, type Ready, removeData, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const ROOT = path.join(import.meta.dirname, "..");

interface Answer {
  status: string;
  message: string;
  result: unknown;
}

/** The processes that a process started, and those that these started, and so on. */
async function descendantsOf(ancestor: number | undefined): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    parents.set(Number(name), Number(/^.*\) \S (\d+)/.exec(stat)?.[1]));
  }
  const descendants: number[] = [];
  for (let found = [ancestor]; found.length > 0; ) {
    found = [...parents].filter(([, parent]) => found.includes(parent)).map(([pid]) => pid);
    descendants.push(...(found as number[]));
  }
  return descendants;
}

/** The last of them may still be on its way out when the process that started it has ended. */
async function expectGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
}

/** Runs a `curl '<url>'` command that was announced. */
async function follow(command: string | undefined): Promise<Answer> {
  const url = /^curl '(.*)'$/.exec(command ?? "")?.[1] ?? "";
  return (await fetch(url)).json() as Promise<Answer>;
}

async function headOf(ready: Ready): Promise<number> {
  const answer = (await (
    await fetch(`${ready.api}?module=block&action=eth_block_number`)
  ).json()) as Answer;
  return Number(answer.result);
}

describe("with nothing configured", () => {
  let folder: string;
  let periscope: Periscope;
  let ready: Ready;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "periscope-main-"));
    periscope = startPeriscope({ DATA_DIR: folder });
    ready = await periscope.ready;
  });

  afterAll(async () => {
    await periscope.end();
    await removeData(folder);
  });

  /** A block that the chain keeps, in the API's form. */
  function aBlock(): Promise<Answer> {
    return follow(`curl '${ready.api}?module=block&action=getblockreward&blockno=5'`);
  }

  test("announces three requests that answer with data of the chain", async () => {
    expect(ready.try).toHaveLength(3);
    for (const command of ready.try) {
      const answer = await follow(command);
      expect(answer).toMatchObject({ status: "1", message: "OK" });
      expect(JSON.stringify(answer.result).length).toBeGreaterThan("[]".length);
    }
  });

  test("verifies a sample contract as the README says", async () => {
    const readme = await readFile(path.join(ROOT, "README.md"), "utf8");
    const command = /^curl \S+ -F (?:.*\\\n)*.*/m.exec(readme)?.[0] ?? "";
    const form = new FormData();
    for (const [, name = "", file, value = ""] of command.matchAll(/-F '?(\w+)=(<?)([^\s']+)/g)) {
      form.set(name, file ? await readFile(path.join(ROOT, value), "utf8") : value);
    }
    const verified = await fetch(ready.api, { method: "POST", body: form });
    expect(await verified.json()).toMatchObject({ status: "1", message: "OK" });
    const abi = await follow(
      `curl '${ready.api}/contract/getabi?address=${form.get("addressHash")}'`,
    );
    expect(abi).toMatchObject({ status: "1", message: "OK" });
  });

  test("refuses a second start in the same folder", async () => {
    const second = startPeriscope({ DATA_DIR: folder });
    expect(await second.ended).toBe(1);
    expect(second.complaints()).toBe(
      `periscope: Periscope is running already in ${folder} (process ${periscope.process.pid}); ` +
        "stop it first, or set DATA_DIR and PORT for a second one\n",
    );
    expect(await headOf(ready)).toBeGreaterThan(0);
  });

  test("ends with everything it started on a signal that comes twice, as from npm, and goes on later", async () => {
    const head = await headOf(ready);
    const block = await aBlock();
    const descendants = await descendantsOf(periscope.process.pid);
    expect(descendants.length).toBeGreaterThan(5);
    periscope.process.kill("SIGINT");
    expect(await periscope.end("SIGINT")).toBe(0);
    await expectGone(descendants);
    expect(periscope.complaints()).toBe("");

    periscope = startPeriscope({ DATA_DIR: folder });
    ready = await periscope.ready;
    expect(await headOf(ready)).toBeGreaterThanOrEqual(head);
    expect(await aBlock()).toEqual(block);
  });

  test("survives being killed: nothing stays behind, and the next start goes on", async () => {
    const block = await aBlock();
    const descendants = await descendantsOf(periscope.process.pid);
    await periscope.end("SIGKILL");

    periscope = startPeriscope({ DATA_DIR: folder });
    ready = await periscope.ready;
    await expectGone(descendants);
    expect(await aBlock()).toEqual(block);
  });

  test("says so and ends when an embedded program dies", async () => {
    const descendants = await descendantsOf(periscope.process.pid);
    for (const pid of descendants) {
      const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
      if (name === "anvil\n") process.kill(pid, "SIGKILL");
    }
    expect(await periscope.ended).toBe(1);
    expect(periscope.complaints()).toMatch(
      /^periscope: the embedded chain ended unexpectedly \(.*\); start Periscope again, its data is kept/,
    );
    await expectGone(descendants);
  });

  test("ends at once when a start is interrupted, and leaves nothing running", async () => {
    const empty = path.join(folder, "interrupted");
    const interrupted = startPeriscope({ DATA_DIR: empty });
    await expect.poll(() => interrupted.messages()).not.toHaveLength(0);
    const descendants = await descendantsOf(interrupted.process.pid);
    expect(await interrupted.end()).toBe(0);
    await expectGone(descendants);
  });
});

describe("with a database and a node of the user's", () => {
  let database: TestDatabase;
  let anvil: Anvil;

  beforeAll(async () => {
    [database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
  });

  afterAll(async () => {
    await Promise.all([database.drop(), anvil.stop()]);
  });

  function start(settings: Readonly<Record<string, string>> = {}): Periscope {
    return startPeriscope({ DATABASE_URL: database.url, RPC_URL: anvil.url, ...settings });
  }

  async function complaintOf(periscope: Periscope): Promise<string> {
    expect(await periscope.ended).toBe(1);
    return periscope.complaints();
  }

  test("serves the node's chain", async () => {
    const periscope = start();
    expect(await headOf(await periscope.ready)).toBe(0);
    expect(await periscope.end()).toBe(0);
  });

  test("says that the port is in use", async () => {
    const other = net.createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as net.AddressInfo;
    expect(await complaintOf(start({ PORT: String(port) }))).toBe(
      `periscope: port ${port} is in use by another program; set PORT to a free one\n`,
    );
    other.close();
  });

  test("says that the node serves another chain than the expected one", async () => {
    expect(await complaintOf(start({ CHAIN_ID: "1" }))).toMatch(
      /^periscope: the (?:node serves|database holds) chain 31337, but .*1.*\n$/,
    );
  });

  test("says that the database holds another chain than the node's, and what to do", async () => {
    const other = await startAnvil(["--chain-id", "4242"]);
    expect(await complaintOf(start({ RPC_URL: other.url }))).toMatch(
      /^periscope: (?=.*database holds chain 31337)(?=.*node serves chain 4242).*give another DATABASE_SCHEMA/,
    );
    await other.stop();
  });

  test("says why the database cannot be used and what to do, without its password", async () => {
    const url = "postgres://user:secret@127.0.0.1:1/explorer";
    expect(await complaintOf(start({ DATABASE_URL: url }))).toBe(
      "periscope: the database 127.0.0.1:1/explorer cannot be used: connect ECONNREFUSED 127.0.0.1:1 " +
        "(the database does not answer; see whether it runs, and where DATABASE_URL leads)\n",
    );
    const elsewhere = Object.assign(new URL(database.url), { pathname: "/nowhere" });
    expect(await complaintOf(start({ DATABASE_URL: elsewhere.href }))).toMatch(
      /^periscope: the database \S+\/nowhere cannot be used: .* \(.*create it, or name another one in DATABASE_URL\)\n$/,
    );
  });

  test("waits for a node that cannot be reached, and serves meanwhile", async () => {
    const periscope = start({ RPC_URL: "http://127.0.0.1:1", HOST: "localhost" });
    await expect.poll(() => periscope.messages().join("\n")).toMatch(/node 1.*trying again/);
    const address = /Server listening at (http:\S+)/.exec(periscope.messages().join("\n"))?.[1];
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    expect(await periscope.end()).toBe(0);
  });
});

test("lists everything that is wrong with the settings at once", async () => {
  const periscope = startPeriscope({ PORT: "http", RPC_URL: "localhost:8545", ROLE: "api" });
  expect(await periscope.ended).toBe(1);
  expect(periscope.complaints()).toBe(`periscope: these settings cannot be used:
  RPC_URL must be a URL like http://… or https://…
  PORT must be a whole number from 0 to 65535
  ROLE=api needs DATABASE_URL and RPC_URL: what is embedded belongs to one process
`);
});

test.each([["--help"], ["compare", "http://127.0.0.1:1/api", "--addresses", "README.md"]])(
  "a command whose reader has seen enough ends without a word: %s",
  async (...given) => {
    const command = spawn(process.execPath, ["src/main.ts", ...given], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    command.stdout.destroy();
    let complaint = "";
    command.stderr.on("data", (text) => (complaint += text));
    await once(command, "close");
    expect(complaint).toBe("");
  },
);
