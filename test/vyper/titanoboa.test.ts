import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installPython } from "../support/python.ts";
import { startService } from "./service.ts";

// titanoboa as it is published deploys a contract of two files, and verifies by the paths of Blockscout's REST API.

const HOME = path.join(import.meta.dirname, ".compilers/titanoboa");
/** The first account of every anvil. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

let service: Awaited<ReturnType<typeof startService>>;
let programs: string;
let project: string;

beforeAll(async () => {
  programs = installPython(HOME, ["titanoboa==0.2.8", "vyper==0.4.3"]);
  project = mkdtempSync(path.join(os.tmpdir(), "periscope-titanoboa-"));
  mkdirSync(path.join(project, "lib"));
  writeFileSync(path.join(project, "lib/bounds.vy"), "LEAST: constant(uint256) = 5\n");
  writeFileSync(
    path.join(project, "Keeper.vy"),
    `# pragma version 0.4.3
from lib import bounds
LIMIT: public(immutable(uint256))

@deploy
def __init__(limit: uint256):
    assert limit > bounds.LEAST
    LIMIT = limit
`,
  );
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
  rmSync(project, { recursive: true });
});

test("titanoboa has a contract of two files verified", async () => {
  const { world, server } = service;
  const explorer = await server.app.listen({ host: "127.0.0.1", port: 0 });
  const program = path.join(import.meta.dirname, "titanoboa.py");
  const { stdout } = await promisify(execFile)(
    path.join(programs, "python"),
    [program, world.node.anvil.url, explorer, KEY, "Keeper.vy"],
    { cwd: project, env: { HOME: project } },
  );
  const { address, verified } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  expect(verified).toBe(true);
  const { body } = await server.app.inject(
    `/api?module=contract&action=getsourcecode&address=${address}`,
  );
  const [shown] = JSON.parse(body).result;
  expect(shown).toMatchObject({
    ContractName: "Keeper",
    ConstructorArguments: expect.stringMatching(/1e$/),
  });
  expect(shown.AdditionalSources).toHaveLength(1);
});
