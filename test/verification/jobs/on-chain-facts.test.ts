import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import {
  getVerifiedAbi,
  getVerifiedContract,
} from "../../../src/store/contracts/verified/verified-contract.ts";
import {
  type FactsSource,
  fetchOnChainFacts,
} from "../../../src/verification/jobs/on-chain-facts.ts";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { addressAt } from "../../support/build.ts";
import { deployProgram, note, type Program, requestFor, startWorld, type World } from "../world.ts";

let world: World;
let verifier: Verifier;

beforeAll(async () => {
  world = await startWorld();
  verifier = world.startVerifier();
});

afterAll(async () => {
  await verifier.close();
  await world.stop();
});

const POLL = { timeout: 30_000 };

/** Looks once, without waiting for an index that is behind. */
function factsNow(address: Address) {
  return fetchOnChainFacts(world, address, AbortSignal.abort());
}

async function indexed(): Promise<void> {
  const { hash } = await world.chain.fetchHead();
  await world.indexer.reach(hash);
}

async function verifies(address: Address, program: Program): Promise<boolean> {
  const submission = await verifier.submit(requestFor(address, program), "somebody");
  if (submission.outcome !== "accepted") throw new Error(submission.outcome);
  const status = await verifier.wait(submission.guid, 60_000);
  return status?.state === "passed";
}

test("a contract that no transaction of the index created is verified by its runtime code", async () => {
  const original = await deployProgram(world.node, note("genesis"));
  const [code] = await world.chain.fetchCodes([original], await world.chain.fetchHead());
  const address = addressAt(20);
  await world.node.request("anvil_setCode", address, code);
  await world.node.request("evm_mine");
  await indexed();
  expect(await factsNow(address)).toMatchObject({ creation: null, runtimeCode: code });
  expect(await verifies(address, note("genesis"))).toBe(true);
  expect(await getVerifiedContract(world.sql, address)).toMatchObject({
    runtimeMatch: "full",
    creationMatch: null,
    creationTransaction: null,
    constructorArguments: null,
  });
});

test("on a chain that is always a block ahead of its index, that block is waited for", async () => {
  const address = addressAt(25);
  await world.node.request("anvil_setCode", address, "0x6001");
  const ahead: FactsSource["chain"] = {
    ...world.chain,
    fetchHead: async () => {
      await world.node.request("evm_mine");
      return world.chain.fetchHead();
    },
  };
  const facts = await fetchOnChainFacts(
    { sql: world.sql, chain: ahead },
    address,
    new AbortController().signal,
  );
  expect(facts).toMatchObject({ creation: null, runtimeCode: "0x6001" });
});

test("code that is not what the creation left is no code of that creation", async () => {
  const address = await deployProgram(world.node, note("swapped"));
  await indexed();
  expect(await factsNow(address)).toMatchObject({ creation: { blockNumber: expect.any(Number) } });
  await world.node.request("anvil_setCode", address, "0x6001");
  await expect(factsNow(address)).rejects.toMatchObject({ code: "deployed-code" });
});

test("no code, a delegated account, an index that is behind, a node that is gone", async () => {
  await expect(factsNow(addressAt(21))).rejects.toMatchObject({ code: "no-code" });
  await world.node.request("anvil_setCode", addressAt(22), `0xef0100${"11".repeat(20)}`);
  await expect(factsNow(addressAt(22))).rejects.toMatchObject({ code: "no-code" });
  const behind = await startWorld();
  onTestFinished(() => behind.stop());
  await behind.indexer.stop();
  const address = await deployProgram(behind.node, note("behind"));
  const facts = () => fetchOnChainFacts(behind, address, AbortSignal.abort());
  await expect(facts()).rejects.toMatchObject({ code: "not-indexed" });
  let asked = 0;
  const counted: FactsSource["chain"] = {
    ...behind.chain,
    fetchHead: () => {
      asked++;
      return behind.chain.fetchHead();
    },
  };
  const waiting = fetchOnChainFacts(
    { sql: behind.sql, chain: counted },
    address,
    AbortSignal.timeout(2500),
  );
  await expect(waiting).rejects.toMatchObject({ code: "not-indexed" });
  expect(asked).toBeLessThan(10);
  await behind.node.anvil.stop();
  await expect(facts()).rejects.toMatchObject({ code: "node" });
});

test("a reorganisation that takes the creation away takes the verification away", async () => {
  const snapshot = await world.node.request<Hex>("evm_snapshot");
  const address = await deployProgram(world.node, note("reverted"));
  expect(await verifies(address, note("reverted"))).toBe(true);
  expect(await getVerifiedAbi(world.sql, address)).toBeDefined();
  await world.node.request("evm_revert", snapshot);
  await world.node.request("evm_mine");
  await expect.poll(() => getVerifiedAbi(world.sql, address), POLL).toBeUndefined();
  const other = await deployProgram(world.node, note("another at the same address", 9));
  expect(other).toBe(address);
  await indexed();
  expect(await getVerifiedAbi(world.sql, address)).toBeUndefined();
  expect(await verifies(address, note("another at the same address", 9))).toBe(true);
});

test("a reorganisation that leaves code without a creation where it is leaves its verification", async () => {
  const original = await deployProgram(world.node, note("stays"));
  const [code] = await world.chain.fetchCodes([original], await world.chain.fetchHead());
  const address = addressAt(24);
  await world.node.request("anvil_setCode", address, code);
  await world.node.request("evm_mine");
  const snapshot = await world.node.request<Hex>("evm_snapshot");
  await world.node.request("evm_mine");
  await indexed();
  expect(await verifies(address, note("stays"))).toBe(true);
  await world.node.request("evm_revert", snapshot);
  await world.node.request("evm_increaseTime", 60);
  await world.node.request("evm_mine");
  await indexed();
  expect(await getVerifiedAbi(world.sql, address)).toBeUndefined();
  const another = world.startVerifier();
  onTestFinished(() => another.close());
  await expect.poll(() => getVerifiedAbi(world.sql, address), POLL).toBeDefined();
});

/** Init code that leaves the code of another contract, so that it stays the same for any code left. */
function copyOf(contract: Address): Hex {
  const push = `73${contract.slice(2)}`;
  return `0x${push}3b8060006000${push}3c6000f3`;
}

function mortal(mark: number): Program {
  const source = `pragma solidity ^0.8.0;\ncontract Note {\n  uint256 public constant mark = ${mark};\n  function end() public { selfdestruct(payable(msg.sender)); }\n}\n`;
  return { source, name: "Note" };
}

const END = "0xefbe1c1c";

/** A chain where contracts can be destroyed and created again, and a verifier on it. */
async function startMortalWorld(traces: "auto" | "off") {
  const old = await startWorld(["--hardfork", "shanghai"], traces);
  onTestFinished(() => old.stop());
  const started = old.startVerifier();
  onTestFinished(() => started.close());
  const model = addressAt(30);
  return {
    ...old,
    started,
    /** Makes a contract, at the same address each time, and waits until it is served. */
    async make(program: Program): Promise<Address> {
      const original = await deployProgram(old.node, program);
      const [code] = await old.chain.fetchCodes([original], await old.chain.fetchHead());
      await old.node.request("anvil_setCode", model, code);
      const { address } = await old.node.deploy(copyOf(model), "create2", 1);
      await old.indexer.reach((await old.chain.fetchHead()).hash);
      return address;
    },
    async verified(address: Address, program: Program): Promise<string | undefined> {
      const submission = await started.submit(requestFor(address, program), "somebody");
      if (submission.outcome !== "accepted") return submission.outcome;
      return (await started.wait(submission.guid, 60_000))?.state;
    },
    async destroy(address: Address): Promise<void> {
      await old.node.send({ to: address, data: END });
      await old.indexer.reach((await old.chain.fetchHead()).hash);
    },
  };
}

test("what is made at the address of a contract that destroyed itself is not verified by its source", async () => {
  const { sql, make, verified, destroy } = await startMortalWorld("auto");
  const address = await make(mortal(1));
  expect(await verified(address, mortal(1))).toBe("passed");
  await destroy(address);
  // Its source is still shown.
  expect(await getVerifiedAbi(sql, address)).toBeDefined();
  expect(await make(mortal(2))).toBe(address);
  expect(await getVerifiedAbi(sql, address)).toBeUndefined();
  expect(await verified(address, mortal(1))).toBe("failed");
  expect(await verified(address, mortal(2))).toBe("passed");
  // Not full: another constructor than that of the source ran.
  expect(await getVerifiedContract(sql, address)).toMatchObject({
    runtimeMatch: "partial",
    sources: [{ text: mortal(2).source }],
  });
});

test("nor is it on a chain without traces, where only the node tells that it was made", async () => {
  const mortalWorld = await startMortalWorld("off");
  const { sql, started, make, verified, destroy } = mortalWorld;
  const address = await make(mortal(1));
  expect(await verified(address, mortal(1))).toBe("passed");
  expect(await verified(address, mortal(1))).toBe("already-verified");
  await destroy(address);
  expect(await getVerifiedAbi(sql, address)).toBeDefined();
  const before = await mortalWorld.node.request<Hex>("evm_snapshot");
  await make(mortal(2));
  expect(await verified(address, mortal(1))).toBe("failed");
  expect(await getVerifiedAbi(sql, address)).toBeUndefined();
  expect(await verified(address, mortal(2))).toBe("passed");
  expect(await getVerifiedContract(sql, address)).toMatchObject({
    runtimeMatch: "full",
    sources: [{ text: mortal(2).source }],
  });
  // A reorganisation brings the first one back.
  await mortalWorld.node.request("evm_revert", before);
  expect(await make(mortal(1))).toBe(address);
  expect(await verified(address, mortal(1))).toBe("passed");

  await destroy(address);
  await make(mortal(3));
  expect(await started.isFullyVerified(address)).toBe(false);
});

test("other code is noticed without a submission, and when the verified code is back", async () => {
  const original = await deployProgram(world.node, note("looked at"));
  const [code] = await world.chain.fetchCodes([original], await world.chain.fetchHead());
  const address = addressAt(23);
  await world.node.request("anvil_setCode", address, code);
  await world.node.request("evm_mine");
  await indexed();
  expect(await verifies(address, note("looked at"))).toBe(true);
  for (const [present, isShown] of [
    ["0x6001", false],
    [code, true],
  ] as const) {
    await world.node.request("anvil_setCode", address, present);
    const another = world.startVerifier();
    await expect
      .poll(async () => (await getVerifiedAbi(world.sql, address)) !== undefined, POLL)
      .toBe(isShown);
    await another.close();
  }
});
