import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { oneFileVyper } from "./one-file-vyper.ts";

// Composes docker-compose.yml and the example of two servers behind a proxy in a real container engine. The base images come
// from a registry, or from base-images.sh.

const ROOT = path.join(import.meta.dirname, "../..");
const ANVIL = path.join(ROOT, "node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil");
const RUN = `periscope-${randomBytes(4).toString("hex")}`;
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const BALANCE =
  "/api?module=account&action=balance&address=0x000000000000000000000000000000000000dead";
const COMPOSE = process.env["DOCKER_COMPOSE"] ?? "docker-compose";
const REPLICAS = "docs/operations/replicas/docker-compose.yml";
const FILES = ["docker-compose.yml", REPLICAS, "test/containers/overlay.yml"];

const run = promisify(execFile);
const docker = async (...parameters: string[]): Promise<string> =>
  (await run("docker", parameters, { maxBuffer: 2 ** 26 })).stdout.trim();

/** Runs Docker Compose on the files, in a project of this run. */
const compose = async (...parameters: string[]): Promise<string> => {
  const project = ["--project-name", RUN, ...FILES.flatMap((file) => ["--file", file])];
  const env = { ...process.env, IMAGE: RUN, ANVIL, COMMIT };
  const options = { cwd: ROOT, env, maxBuffer: 2 ** 26 };
  return (await run(COMPOSE, [...project, ...parameters], options)).stdout.trim();
};

/** Sends a request through the proxy. */
const send = async (target: string, body?: object): Promise<Response> =>
  fetch(`http://${await compose("port", "proxy", "80")}${target}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
    signal: AbortSignal.timeout(30_000),
  });

const json = async (target: string, body?: object): Promise<Record<string, unknown>> =>
  (await (await send(target, body)).json()) as Record<string, unknown>;

beforeAll(async () => {
  await compose("up", "--detach", "--wait", "--quiet-pull");
});

afterAll(async () => {
  await compose("down", "--volumes", "--timeout=5").catch(() => undefined);
  await docker("image", "rm", RUN).catch(() => undefined);
});

test("the image names its version and commit", async () => {
  const labels = JSON.parse(await docker("inspect", "--format={{json .Config.Labels}}", RUN));
  expect(labels).toMatchObject({
    "org.opencontainers.image.version": "9.9.9",
    "org.opencontainers.image.revision": COMMIT,
    "org.opencontainers.image.licenses": "MIT",
  });
  expect(await docker("inspect", "--format={{.Config.User}}", RUN)).toBe("1000");
  const unneeded = "find / -xdev -name '*.d.ts' -o -xdev -name '*.js.map' -path '/app/*' | wc -l";
  expect(await docker("run", "--rm", RUN, "sh", "-c", unneeded)).toBe("0");
});

test("the services index the chain and name the commit", async () => {
  await onAnvil("anvil_setBalance", ["0x000000000000000000000000000000000000dead", "0x7"]);
  await expect.poll(() => json(BALANCE)).toMatchObject({ status: "1", result: "7" });
  expect(JSON.stringify(await json("/health"))).toContain(COMMIT);
});

test("a contract of Solidity is verified with a read-only root and without /tmp", async () => {
  const source = "contract C { function f() public pure returns (uint) { return 7; } }";
  const [code, input] = await compiled(source);
  expect(
    await verified(await deploy(code), "solidity-standard-json-input", input, "C.sol:C", "v0.8.37"),
  ).toBe("C");
});

test("a contract of Vyper is verified by a compiler that the operator copied into the folder of data", async () => {
  const file = oneFileVyper();
  const { name } = path.parse(file);
  const version = `v${name.replace("vyper.", "")}`;
  await compose("exec", "--no-TTY", "api", "mkdir", "-p", "/data/vyper");
  await compose("cp", file, "api:/data/vyper/");
  const input = {
    language: "Vyper",
    sources: {
      "seven.vy": { content: "@external\n@pure\ndef f() -> uint256:\n    return 7\n" },
    },
    settings: { outputSelection: { "*": ["evm.bytecode.object"] } },
  };
  const child = run(file, ["--standard-json"]);
  child.child.stdin?.end(JSON.stringify(input));
  const output = JSON.parse((await child).stdout);
  const address = await deploy(output.contracts["seven.vy"].seven.evm.bytecode.object.slice(2));
  expect(await verified(address, "vyper-json", input, "seven.vy:seven", version)).toBe("seven");
});

test("an update of one server after the other leaves no request unanswered", async () => {
  const answers = new Map<string, number>();
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const response = await send(BALANCE).catch(String);
      const answer = typeof response === "string" ? response : `${response.status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  })();
  const upgrade = ["up", "--detach", "--no-deps", "--no-build", "--force-recreate", "--wait"];
  await compose(...upgrade, "indexer");
  await compose("stop", "api");
  // The new server gets another address, since this container takes the old one.
  const other = `${RUN}-other`;
  await docker(
    "run",
    "--detach",
    `--name=${other}`,
    `--network=${RUN}_default`,
    RUN,
    "sleep",
    "600",
  );
  await compose(...upgrade, "api");
  await compose(...upgrade, "second");
  await compose("stop", "second");
  for (let more = 0; more < 20; more++) expect((await send(BALANCE)).status).toBe(200);
  isOver = true;
  await asking;
  await docker("rm", "--force", other);
  expect([...answers.keys()]).toEqual(["200"]);
});

test("SIGTERM ends each service in time, with exit code 0", async () => {
  const services = ["api", "indexer"];
  const names = await compose("ps", "--quiet", ...services);
  await compose("stop", "--timeout=20", ...services);
  for (const name of names.split("\n")) {
    expect(await docker("inspect", "--format={{.State.ExitCode}}", name)).toBe("0");
  }
});

/** Deploys a creation code, given without 0x; returns the contract's address. */
async function deploy(code: string): Promise<string> {
  const hash = await onAnvil("eth_sendTransaction", [{ from: SENDER, data: `0x${code}` }]);
  const address = async () => {
    const receipt = await onAnvil("eth_getTransactionReceipt", [hash]);
    return (receipt as { contractAddress: string } | null)?.contractAddress ?? "";
  };
  await expect.poll(address).not.toBe("");
  return address();
}

/** Submits a standard JSON input; returns the name under which the contract is served then. */
async function verified(
  address: string,
  codeformat: string,
  input: object,
  contractname: string,
  compilerversion: string,
): Promise<unknown> {
  const body = {
    module: "contract",
    action: "verifysourcecode",
    contractaddress: address,
    codeformat,
    sourceCode: JSON.stringify(input),
    contractname,
    compilerversion,
  };
  const sent = async () => (await json("/v2/api", body))["result"];
  await expect.poll(sent).toMatch(/^[0-9a-f-]{20,}$|already/i);
  const target = `/v2/api?module=contract&action=getsourcecode&address=${address}`;
  const name = async () =>
    ((await json(target))["result"] as { ContractName: string }[])[0]?.ContractName;
  await expect.poll(name).not.toBe("");
  return name();
}

/** Sends a call to the chain, from within its container. */
async function onAnvil(method: string, params: unknown[]): Promise<unknown> {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const script = `fetch("http://127.0.0.1:8545",{method:"POST",headers:{"content-type":"application/json"},body:process.argv[1]}).then((r)=>r.text()).then((t)=>process.stdout.write(t))`;
  const answer = await compose("exec", "--no-TTY", "anvil", "node", "-e", script, request);
  return JSON.parse(answer).result;
}

/** Returns the creation code and the input of a source, compiled by the solc of this checkout. */
async function compiled(source: string): Promise<[code: string, input: object]> {
  const solc = (await import("solc")).default;
  const input = {
    language: "Solidity",
    sources: { "C.sol": { content: source } },
    settings: { outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  return [output.contracts["C.sol"].C.evm.bytecode.object, input];
}
