import { readFileSync } from "node:fs";
import { type Abi, encodeDeployData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Address } from "../../src/core/evm/address.ts";
import type { Hex } from "../../src/core/evm/hex.ts";
import { getVerifiedContract } from "../../src/store/contracts/verified/verified-contract.ts";
import { findSimilarContracts } from "../../src/verification/similar.ts";
import type { Verifier } from "../../src/verification/verifier.ts";
import { addressAt } from "../support/build.ts";
import { compileStandardJson } from "./compile.ts";
import { withImports } from "./openzeppelin.ts";
import { startWorld, type World } from "./world.ts";

interface Compiled {
  abi: Abi;
  evm: { bytecode: { object: string } };
}

const FILE = "src/contracts.sol";
const TIMELOCK = "@openzeppelin/contracts/governance/TimelockController.sol";
const SETTINGS = { optimizer: { enabled: true, runs: 200 } };
const SOURCES = withImports(
  FILE,
  readFileSync(new URL("../fixtures/openzeppelin.sol", import.meta.url), "utf8"),
);

let world: World;
let verifier: Verifier;
let contracts: Record<string, Record<string, Compiled>>;

beforeAll(async () => {
  world = await startWorld();
  verifier = world.startVerifier();
  const outputs = ["abi", "evm.bytecode.object"];
  const output = (await compileStandardJson({
    language: "Solidity",
    sources: SOURCES,
    settings: {
      ...SETTINGS,
      outputSelection: {
        [FILE]: { Gold: outputs, Voice: outputs, Council: outputs },
        [TIMELOCK]: { TimelockController: outputs },
      },
    },
  })) as { contracts: Record<string, Record<string, Compiled>> };
  contracts = output.contracts;
});

afterAll(async () => {
  await verifier.close();
  await world.stop();
});

async function deploy(file: string, name: string, ...args: unknown[]) {
  const compiled = contracts[file]?.[name];
  if (compiled === undefined) throw new Error(`${name} was not compiled`);
  const bytecode: Hex = `0x${compiled.evm.bytecode.object}`;
  return world.node.deploy(encodeDeployData({ abi: compiled.abi, bytecode, args }));
}

async function verified(address: Address, file: string, name: string) {
  const submission = await verifier.submit(
    {
      format: "standard-json",
      address,
      input: JSON.stringify({ language: "Solidity", sources: SOURCES, settings: SETTINGS }),
      name: `${file}:${name}`,
      compilerVersion: "v0.8.37",
      license: 3,
    },
    "somebody",
  );
  if (submission.outcome !== "accepted") throw new Error(submission.outcome);
  expect(await verifier.wait(submission.guid, 60_000)).toMatchObject({
    state: "passed",
    reason: null,
  });
  return getVerifiedContract(world.sql, address);
}

const FULL = { runtimeMatch: "full", creationMatch: "full", license: 3, optimizerRuns: 200 };

test("an ERC-20 token", async () => {
  const { address } = await deploy(FILE, "Gold", 10n ** 24n);
  expect(await verified(address, FILE, "Gold")).toMatchObject({
    ...FULL,
    contractName: "Gold",
    constructorArguments: `0x${(10n ** 24n).toString(16).padStart(64, "0")}`,
    metadataUri: expect.stringMatching(/^ipfs:\/\/Qm\w{44}$/),
  });
});

test("a governor, its timelock and its votes; another deployment of the votes is found by its code", async () => {
  const votes = await deploy(FILE, "Voice");
  const others = await deploy(FILE, "Voice");
  const timelock = await deploy(TIMELOCK, "TimelockController", 1n, [], [], addressAt(1));
  const council = await deploy(FILE, "Council", votes.address, timelock.address);
  expect(await verified(votes.address, FILE, "Voice")).toMatchObject(FULL);
  expect(await verified(timelock.address, TIMELOCK, "TimelockController")).toMatchObject(FULL);
  expect(await verified(council.address, FILE, "Council")).toMatchObject(FULL);
  // Its immutables hold its own address.
  expect(others.runtimeCode).not.toBe(votes.runtimeCode);
  expect(await findSimilarContracts(world.sql, others.address, others.runtimeCode)).toEqual([
    votes.address,
  ]);
  expect(await findSimilarContracts(world.sql, timelock.address, timelock.runtimeCode)).toEqual([
    timelock.address,
  ]);
  const changed = others.runtimeCode.replace(/^(0x.{100})../, "$1ab") as Hex;
  expect(await findSimilarContracts(world.sql, others.address, changed)).toEqual([]);
});
