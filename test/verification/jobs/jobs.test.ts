import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { NodeError } from "../../../src/chain/errors/errors.ts";
import type { Address } from "../../../src/core/evm/address.ts";
import { getDeploymentProof } from "../../../src/store/contracts/verified/deployment-proofs.ts";
import {
  getVerifiedContract,
  isFullyVerified,
} from "../../../src/store/contracts/verified/verified-contract.ts";
import { DEFAULT_JOB_LIMITS, type Submission } from "../../../src/verification/jobs/submit.ts";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { addressAt, wordAt } from "../../support/build.ts";
import type { TestVerifierOptions } from "../../support/verifier.ts";
import { initCodeOf } from "../deployment.ts";
import { deployProgram, note, requestFor, startWorld, type World } from "../world.ts";

let world: World;
let plain: Address;

const PATIENCE_MS = 60_000;
const POLL = { timeout: 30_000 };
const CLIENT = "192.0.2.1";

beforeAll(async () => {
  world = await startWorld();
  plain = await deployProgram(world.node, note("plain"));
});

afterAll(() => world.stop());

function verifier(options?: Partial<TestVerifierOptions>): Verifier {
  const started = world.startVerifier(options);
  onTestFinished(() => started.close());
  return started;
}

function guidOf(submission: Submission): string {
  if (submission.outcome !== "accepted") throw new Error(submission.outcome);
  return submission.guid;
}

test("a job is known as soon as its guid is, and ends with the contract verified", async () => {
  const { submit, status, wait } = verifier();
  const guid = guidOf(await submit(requestFor(plain, note("plain")), CLIENT));
  expect(guid).toMatch(new RegExp(`^${plain.slice(2)}[0-9a-f]{16}$`));
  expect((await status(guid))?.state).toMatch(/pending|running/);
  expect(await wait(guid, PATIENCE_MS)).toMatchObject({
    address: plain,
    state: "passed",
    failure: null,
    reason: null,
  });
  expect(await getVerifiedContract(world.sql, plain)).toMatchObject({
    runtimeMatch: "full",
    creationMatch: "full",
    contractName: "Note",
    filePath: "Note.sol",
    compilerVersion: "v0.8.37+commit.f401782d",
    constructorArguments: "0x",
    sources: [{ path: "Note.sol", text: note("plain").source }],
  });
  expect(await submit(requestFor(plain, note("plain")), CLIENT)).toEqual({
    outcome: "already-verified",
  });
});

test("what another constructor left is proven by running the one of the source, and kept", async () => {
  const shop = (fee: number) => ({
    name: "Shop",
    source: `pragma solidity ^0.8.0;\ncontract Shop { uint256 public immutable fee; constructor() { fee = ${fee}; } }\n`,
  });
  const dear = await deployProgram(world.node, shop(9000));
  const [code = "0x"] = await world.chain.fetchCodes([dear], await world.chain.fetchHead());
  const copied = (await world.node.deploy(initCodeOf(code))).address;
  const runCreations = async () => {
    throw new NodeError("method-missing", "no state overrides");
  };
  const blind = world.startVerifier({ inProcess: true, chain: { ...world.chain, runCreations } });
  const unproven = guidOf(await blind.submit(requestFor(copied, shop(9000)), CLIENT));
  expect(await blind.wait(unproven, PATIENCE_MS)).toMatchObject({
    state: "passed",
    reason: expect.stringMatching(
      /^The code matches, its constructor and immutables are unproven\. .*behind one/,
    ),
  });
  await blind.close();
  const { submit, wait } = verifier({ inProcess: true });
  for (const address of [dear, copied]) {
    const guid = guidOf(await submit(requestFor(address, shop(30)), CLIENT));
    expect(await wait(guid, PATIENCE_MS)).toMatchObject({ state: "failed", failure: "bytecode" });
  }
  const guid = guidOf(await submit(requestFor(copied, shop(9000)), CLIENT));
  expect(await wait(guid, PATIENCE_MS)).toMatchObject({ state: "passed", reason: null });
  expect(await getVerifiedContract(world.sql, copied)).toMatchObject({
    runtimeMatch: "partial",
    creationMatch: null,
  });
  expect(await getDeploymentProof(world.sql, copied)).toMatchObject({
    construction: "run",
    immutables: "run",
    values: [{ name: "fee", type: "uint256", value: wordAt(9000) }],
  });
});

test("a failed job tells the first real reason, and the next submission is a job of its own", async () => {
  const address = await deployProgram(world.node, note("twice"));
  const { submit, wait } = verifier({ inProcess: true });
  const first = guidOf(await submit(requestFor(address, note("twice", 2)), CLIENT));
  const second = guidOf(await submit(requestFor(address, note("twice")), CLIENT));
  expect(await wait(first, PATIENCE_MS)).toMatchObject({
    state: "failed",
    failure: "bytecode",
    reason: expect.stringMatching(/^Bytecode does not match, please try again\. The code of Note/),
  });
  expect(await wait(second, PATIENCE_MS)).toMatchObject({ state: "passed", reason: null });
});

test("a partial match may be replaced by a full one, and jobs after that pass without work", async () => {
  const address = await deployProgram(world.node, note("exact"));
  const { submit, wait } = verifier({ inProcess: true });
  const first = guidOf(await submit(requestFor(address, note("about")), CLIENT));
  expect(await wait(first, PATIENCE_MS)).toMatchObject({ state: "passed" });
  expect(await isFullyVerified(world.sql, address)).toBe(false);
  const guids = [];
  for (const text of ["exact", "about"]) {
    guids.push(guidOf(await submit(requestFor(address, note(text)), CLIENT)));
  }
  for (const guid of guids) {
    expect(await wait(guid, PATIENCE_MS)).toMatchObject({ state: "passed" });
  }
  expect(await isFullyVerified(world.sql, address)).toBe(true);
  const contract = await getVerifiedContract(world.sql, address);
  expect(contract?.sources[0]?.text).toBe(note("exact").source);
});

test("addresses without code and delegated accounts are refused at once", async () => {
  const { submit } = verifier();
  expect(await submit(requestFor(addressAt(5), note("plain")), CLIENT)).toEqual({
    outcome: "no-code",
  });
  const delegated = addressAt(6);
  await world.node.request("anvil_setCode", delegated, `0xef0100${plain.slice(2)}`);
  expect(await submit(requestFor(delegated, note("plain")), CLIENT)).toEqual({
    outcome: "no-code",
  });
});

test("a guid of nobody's has no state", async () => {
  const { status, proxyStatus } = verifier();
  for (const guid of ["", "x", `${plain.slice(2)}${"0".repeat(16)}`, "%00".repeat(19)]) {
    expect(await status(guid)).toBeUndefined();
    expect(await proxyStatus(guid)).toBeUndefined();
  }
});

test("ten submissions of an address an hour are the limit", async () => {
  const address = await deployProgram(world.node, note("eager"));
  const { submit } = verifier({ concurrency: 0 });
  for (let count = 0; count < 10; count++) {
    expect((await submit(requestFor(address, note("eager")), CLIENT)).outcome).toBe("accepted");
  }
  expect(await submit(requestFor(address, note("eager")), CLIENT)).toEqual({ outcome: "too-many" });
  await world.sql`UPDATE verification_jobs SET created_at = created_at - interval '61 minutes' WHERE address = ${address}`;
  expect((await submit(requestFor(address, note("eager")), CLIENT)).outcome).toBe("accepted");
  await world.sql`DELETE FROM verification_jobs WHERE address = ${address}`;
});

test("of 500 submissions at once those that fit are accepted, and every one of them ends", async () => {
  const { submit, wait } = verifier({
    concurrency: 2,
    jobLimits: { ...DEFAULT_JOB_LIMITS, perHour: 1000, waitingOfClient: 1000 },
  });
  const request = {
    ...requestFor(plain, note("plain")),
    compilerVersion: "v0.8.0+commit.c7dfd78e",
  };
  await world.sql`UPDATE verified_contracts SET runtime_match = 'partial', creation_match = 'partial' WHERE address = ${plain}`;
  const submissions = await Promise.all(Array.from({ length: 500 }, () => submit(request, CLIENT)));
  const outcomes = new Set(submissions.map(({ outcome }) => outcome));
  const guids = submissions.filter(({ outcome }) => outcome === "accepted").map(guidOf);
  expect([...outcomes].sort()).toEqual(["accepted", "queue-full"]);
  expect(guids.length).toBeGreaterThanOrEqual(100);
  expect(new Set(guids).size).toBe(guids.length);
  for (const guid of guids) {
    expect(await wait(guid, PATIENCE_MS)).toMatchObject({
      state: "failed",
      failure: "compiler-unavailable",
      reason:
        "Compiler version does not match, please try again. v0.8.0+commit.c7dfd78e is not available here; the nearest are v0.8.7+commit.e28d00a7, v0.8.18+commit.87f61d96, v0.8.20+commit.a1b79de6.",
    });
  }
});

test("a job waits for an index that is behind the node", async () => {
  const behind = await startWorld();
  onTestFinished(() => behind.stop());
  await behind.indexer.stop();
  const address = await deployProgram(behind.node, note("early"));
  const started = behind.startVerifier();
  onTestFinished(() => started.close());
  const guid = guidOf(await started.submit(requestFor(address, note("early")), CLIENT));
  expect(await started.wait(guid, 1000)).toMatchObject({
    state: expect.not.stringMatching("failed"),
  });
});

test("a closing verifier gives its running job back as if it had not been begun", async () => {
  const address = await deployProgram(world.node, note("handed over"));
  const closing = world.startVerifier();
  const guid = guidOf(await closing.submit(requestFor(address, note("handed over")), CLIENT));
  await expect.poll(() => closing.status(guid), POLL).toMatchObject({ state: "running" });
  await closing.close();
  const [job] = await world.sql`SELECT state, attempts FROM verification_jobs WHERE guid = ${guid}`;
  expect(job).toEqual({ state: "pending", attempts: 0 });
  expect(await verifier().wait(guid, PATIENCE_MS)).toMatchObject({ state: "passed" });
});

test("jobs are forgotten a week after their end", async () => {
  const address = await deployProgram(world.node, note("forgotten"));
  const first = world.startVerifier({ inProcess: true });
  const guid = guidOf(await first.submit(requestFor(address, note("forgotten")), CLIENT));
  await first.wait(guid, PATIENCE_MS);
  await first.close();
  await world.sql`UPDATE verification_jobs SET finished_at = finished_at - interval '8 days' WHERE guid = ${guid}`;
  const { status } = verifier();
  await expect.poll(() => status(guid), POLL).toBeUndefined();
  expect(await isFullyVerified(world.sql, address)).toBe(true);
});
