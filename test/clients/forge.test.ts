import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, type Explorer, startExplorer } from "./explorer.ts";
import { createFoundryProject, type FoundryProject, VERIFIED } from "./foundry.ts";
import { follow, linksIn } from "./links.ts";
import type { Ending } from "./program.ts";
import { ENCODED_ARGUMENTS } from "./vaults.ts";

let explorer: Explorer;
let project: FoundryProject;

beforeAll(async () => {
  explorer = await startExplorer();
  const vaults = ["Plain", "Keyed", "Flattened", "Guessed", "Refused", "Compared"];
  project = createFoundryProject(explorer, vaults);
});
afterAll(async () => {
  project.remove();
  await explorer.stop();
});

const GIVEN = ["--constructor-args", ENCODED_ARGUMENTS];
const GUESSED = ["--guess-constructor-args"];

function atPeriscope(): string[] {
  return ["--verifier", "blockscout", "--verifier-url", `${explorer.url}/api`];
}

function verify(name: string, address: Hex, ...options: string[]): Promise<Ending> {
  return project.verify(name, address, ...atPeriscope(), ...options, "--watch");
}

test("forge verifies standard JSON by its first poll, and skips what is verified", async () => {
  const address = await project.create("Plain");
  const first = await verify("Plain", address, ...GIVEN);
  expect(first.said).toContain(VERIFIED);
  expect(first.said).not.toContain("Pending in queue");
  const links = linksIn(first.said, explorer.url);
  expect(await follow(links)).toEqual([expect.stringMatching(/^Plain /)]);
  expect(first.code).toBe(0);

  const second = await verify("Plain", address, ...GIVEN);
  expect(second.said).toContain("is already verified. Skipping verification.");
  expect(second.code).toBe(0);

  const forced = await verify("Plain", address, ...GIVEN, "--skip-is-verified-check");
  expect(forced.said).toContain("Contract source code already verified");
  expect(forced.code).toBe(0);
});

test("forge verifies at Etherscan's path, with a key and the chain in the query", async () => {
  const address = await project.create("Keyed");
  const verifier = ["--verifier", "etherscan"];
  const url = ["--verifier-url", `${explorer.url}/v2/api?chainid=${CHAIN_ID}`];
  const options = [...verifier, ...url, ...GIVEN, "--watch"];
  const { said, code } = await project.verify("Keyed", address, ...options);
  expect(said).toContain(VERIFIED);
  expect(code).toBe(0);
});

test("forge verifies a flattened source", async () => {
  const address = await project.create("Flattened");
  expect((await verify("Flattened", address, ...GIVEN, "--flatten")).said).toContain(VERIFIED);
});

test("forge verifies with arguments that it finds on the chain", async () => {
  const address = await project.create("Guessed");
  expect((await verify("Guessed", address, ...GUESSED)).said).toContain(VERIFIED);
});

test("forge says why wrong arguments verify nothing, and then verifies with the right ones", async () => {
  const address = await project.create("Refused");
  const wrong = ["--constructor-args", ENCODED_ARGUMENTS.replace("a1", "a2")];
  const refused = await verify("Refused", address, ...wrong);
  const outcome = [
    "Response: `Constructor arguments do not match, please try again.",
    "Details: `Fail - Unable to verify`",
  ];
  for (const line of outcome) expect(refused.said).toContain(line);

  const guid = /GUID: `(\w+)`/.exec(refused.said)?.[1] ?? "";
  const chain = ["--chain", String(CHAIN_ID)];
  const check = await project.forge("verify-check", guid, ...chain, ...atPeriscope());
  for (const line of outcome) expect(check.said).toContain(line);

  expect((await verify("Refused", address, ...GIVEN)).said).toContain(VERIFIED);
});

test("forge finds the code on the chain to be what its verified source makes", async () => {
  const address = await project.publish("Compared");
  const { said, code } = await project.forge(
    ...["verify-bytecode", address, "Compared", "--rpc-url", explorer.rpcUrl, ...atPeriscope()],
  );
  expect(said).toContain("Creation code matched with status full");
  expect(said).toContain("Runtime code matched with status full");
  expect(code).toBe(0);
});
