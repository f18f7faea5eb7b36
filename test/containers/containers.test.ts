import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ComposeService, readComposition } from "../support/compose.ts";

// Runs the image in a real container engine, with the settings of docker-compose.yml. Its services are given to `docker run`
// one by one, a stand-in for Compose. The base images come from a registry, or from base-images.sh.

const ROOT = path.join(import.meta.dirname, "../..");
const ANVIL = path.join(ROOT, "node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil");
const RUN = `periscope-${randomBytes(4).toString("hex")}`;
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

const run = promisify(execFile);
const docker = async (...parameters: string[]): Promise<string> =>
  (await run("docker", parameters, { maxBuffer: 2 ** 26 })).stdout.trim();

const COMPOSE = process.env["DOCKER_COMPOSE"] ?? "docker-compose";
const REPLICAS = "docs/operations/replicas/docker-compose.yml";

let services: Record<string, ComposeService>;
let base: string;

/** Starts a service under its name in the network of this run. */
async function start(name: string, service: ComposeService, ...extra: string[]): Promise<void> {
  const { user, volumes = [], read_only: readOnly, command = [], cap_drop: dropped = [] } = service;
  const { security_opt: security = [], init } = service;
  const parameters = ["run", "--detach", `--name=${RUN}-${name}`, `--network=${RUN}`, ...extra];
  parameters.push(`--network-alias=${name}`);
  if (readOnly) parameters.push("--read-only");
  if (init) parameters.push("--init");
  if (user) parameters.push(`--user=${user}`);
  for (const capability of dropped as string[]) parameters.push(`--cap-drop=${capability}`);
  for (const option of security as string[]) parameters.push(`--security-opt=${option}`);
  for (const volume of volumes as string[]) parameters.push(`--volume=${RUN}-${volume}`);
  for (const [key, value] of Object.entries(service.environment)) {
    parameters.push(`--env=${key}=${value}`);
  }
  const image = service["image"] === "periscope" ? RUN : String(service["image"]);
  await docker(...parameters, image, ...(command as string[]));
}

const json = async (target: string, body?: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`${base}${target}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" },
  });
  return (await response.json()) as Record<string, unknown>;
};

/** The output of a service, for the report of a failure. */
const logOf = (name: string): Promise<string> => docker("logs", "--tail=20", `${RUN}-${name}`);

beforeAll(async () => {
  const arguments_ = [`--build-arg=COMMIT=${COMMIT}`, "--build-arg=VERSION=9.9.9"];
  await docker("build", "--network=host", `--tag=${RUN}`, ...arguments_, ROOT);
  services = readComposition(await readFile(path.join(ROOT, "docker-compose.yml"), "utf8"));
  await docker("network", "create", RUN);
  const { postgres, indexer, api } = services;
  if (!postgres || !indexer || !api) throw new Error("a service is missing");
  await start("postgres", { ...postgres, volumes: [] }, "--tmpfs=/var/lib/postgresql");
  const anvil = { image: "node:24-slim", environment: {}, ports: [], command: [] };
  const chain = { ...anvil, command: ["/anvil", "--host", "0.0.0.0", "--silent"] };
  await start("anvil", chain, `--volume=${ANVIL}:/anvil:ro`);
  const [, probe = ""] = (postgres["healthcheck"] as { test: string[] }).test;
  const isReady = () =>
    docker("exec", `${RUN}-postgres`, "sh", "-c", probe).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 120_000, interval: 500 });
  await start("indexer", indexer);
  await start("api", api, "--publish=127.0.0.1::4000");
  base = `http://${await docker("port", `${RUN}-api`, "4000/tcp")}`;
});

afterAll(async () => {
  for (const name of ["api", "indexer", "anvil", "postgres"]) {
    await docker("rm", "--force", "--volumes", `${RUN}-${name}`).catch(() => undefined);
  }
  await docker("network", "rm", RUN).catch(() => undefined);
  await docker("volume", "rm", `${RUN}-data`).catch(() => undefined);
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
  const maps = await docker(
    "run",
    "--rm",
    RUN,
    "sh",
    "-c",
    "find / -xdev -name '*.d.ts' -o -xdev -name '*.js.map' -path '/app/*' | wc -l",
  );
  expect(maps).toBe("0");
});

test("Compose reads the files, and the example of two servers behind a proxy", async () => {
  const files = ["-f", "docker-compose.yml", "-f", REPLICAS];
  const { stdout } = await run(COMPOSE, [...files, "config", "--format=json"], { cwd: ROOT });
  const { api, second, proxy } = JSON.parse(stdout).services;
  expect(second).toMatchObject({ environment: api.environment, volumes: api.volumes });
  expect([api.ports, second.ports, second.build]).toEqual([undefined, undefined, undefined]);
  expect(proxy.volumes).toMatchObject([
    { source: path.join(ROOT, path.dirname(REPLICAS), "nginx.conf") },
  ]);
});

test("the services become healthy, index the chain and name the commit", async () => {
  const health = () =>
    docker("inspect", "--format={{.State.Health.Status}}", `${RUN}-api`).catch(String);
  await expect.poll(health, { message: await logOf("api") }).toBe("healthy");
  const balance = () =>
    json(
      "/api?module=account&action=balance&address=0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    ).catch(String);
  await expect
    .poll(balance, { message: await logOf("indexer") })
    .toMatchObject({ status: "1", result: "10000000000000000000000" });
  expect(JSON.stringify(await json("/health"))).toContain(COMMIT);
});

test("a contract is verified with a read-only root and without /tmp", async () => {
  const source = "contract C { function f() public pure returns (uint) { return 7; } }";
  const [code, metadata] = await compiled(source);
  const from = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
  const hash = await onAnvil("eth_sendTransaction", [{ from, data: code }]);
  const address = async () => {
    const receipt = (await onAnvil("eth_getTransactionReceipt", [hash])) as {
      contractAddress: string;
    } | null;
    return receipt?.contractAddress ?? "";
  };
  await expect.poll(address).not.toBe("");
  const contract = await address();
  const body = {
    module: "contract",
    action: "verifysourcecode",
    contractaddress: contract,
    codeformat: "solidity-standard-json-input",
    sourceCode: JSON.stringify(metadata),
    contractname: "C.sol:C",
    compilerversion: "v0.8.37",
  };
  const sent = async () => (await json("/v2/api", body).catch(String)) as { result?: string };
  await expect.poll(async () => (await sent()).result).toMatch(/^[0-9a-f-]{20,}$|already/i);
  const target = `/v2/api?module=contract&action=getsourcecode&address=${contract}`;
  await expect
    .poll(() => json(target), { message: await logOf("api") })
    .toMatchObject({ result: [{ ContractName: "C" }] });
});

test("SIGTERM ends each service in time, with exit code 0", async () => {
  for (const name of ["api", "indexer"]) {
    await docker("stop", "--time=20", `${RUN}-${name}`);
    const code = await docker("inspect", "--format={{.State.ExitCode}}", `${RUN}-${name}`);
    expect([name, code]).toEqual([name, "0"]);
  }
});

/** Sends a call to the chain, from within its container. */
async function onAnvil(method: string, params: unknown[]): Promise<unknown> {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const script = `fetch("http://127.0.0.1:8545",{method:"POST",headers:{"content-type":"application/json"},body:process.argv[1]}).then((r)=>r.text()).then((t)=>process.stdout.write(t))`;
  const answer = await docker("exec", `${RUN}-anvil`, "node", "-e", script, request);
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
  return [`0x${output.contracts["C.sol"].C.evm.bytecode.object}`, input];
}
