import { createPublicClient, getAddress, type Hex, http, parseAbi } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, type Explorer, startExplorer } from "./explorer.ts";
import { createFoundryProject } from "./foundry.ts";
import { createScratch, runProgram, type Scratch } from "./program.ts";
import { DEPLOYER } from "./served-chain.ts";
import { COMPILER, OWNED, vault } from "./vaults.ts";
import { generate } from "./wagmi.ts";

const FUNCTIONS = ["NAME", "held", "hold", "limit", "owner"];
/** An error with the `result` of the refusal, which is null in Blockscout's dialect. */
const NOT_VERIFIED = "EtherscanABILoader loadABI error: null";
const UNUSED = "0x00000000000000000000000000000000000000A1";

let explorer: Explorer;
let scratch: Scratch;
let verified: Hex;
let unverified: Hex;

beforeAll(async () => {
  explorer = await startExplorer();
  scratch = createScratch();
  const project = createFoundryProject(explorer, ["Shown", "Hidden"]);
  verified = await project.publish("Shown");
  unverified = await project.create("Hidden");
  project.remove();
});
afterAll(async () => {
  scratch.remove();
  await explorer.stop();
});

const run = (program: string, ...args: string[]) => runProgram(scratch, program, args);

test("ethers 6 makes an object of a verified contract, and none of another", async () => {
  const read = await run("ethers-6.mjs", `${explorer.url}/api`, verified, unverified);
  expect(read).toMatchObject({ functions: FUNCTIONS, unverified: null, balance: "0" });
});

test("ethers 5 reads the history of an address, and an empty one", async () => {
  const read = await run("ethers-5.mjs", explorer.url, DEPLOYER, UNUSED);
  expect(read.history).toMatchObject([
    { creates: verified, from: DEPLOYER, to: null, blockNumber: 1, nonce: 0 },
    { creates: unverified, from: DEPLOYER, to: null, blockNumber: 2, nonce: 1 },
  ]);
  expect(read.none).toEqual([]);
  expect(read.balance).toMatch(/^9999\d{18}$/);
});

test.each([
  ["/api", [vault("Shown")], NOT_VERIFIED],
  [`/v2/api?chainid=${CHAIN_ID}`, [vault("Shown"), OWNED], []],
])(
  "whatsabi loads a verified contract at %s, and nothing of another",
  async (api, sources, none) => {
    const read = await run("whatsabi.mjs", `${explorer.url}${api}`, verified, unverified);
    expect(read).toEqual({
      name: "Shown",
      compilerVersion: COMPILER.version,
      sources,
      functions: FUNCTIONS,
      functionsByAnyLoader: FUNCTIONS,
      unverified: none,
    });
  },
);

test("viem reads the chain at /api/eth-rpc as at a node", async () => {
  const client = createPublicClient({ transport: http(`${explorer.url}/api/eth-rpc`) });
  const address = verified;
  expect(await client.getChainId()).toBe(CHAIN_ID);
  expect(await client.getBlockNumber()).toBe(2n);
  const [code, balance] = await Promise.all([
    client.getCode({ address }),
    client.getBalance({ address: DEPLOYER }),
  ]);
  expect(code).toMatch(/^0x60/);
  expect(balance).toBeGreaterThan(0n);
  const abi = parseAbi(["function limit() view returns (uint256)"]);
  expect(await client.readContract({ address, abi, functionName: "limit" })).toBe(1000n);
  const { transactions } = await client.getBlock({ blockNumber: 1n });
  const [hash = "0x"] = transactions;
  const receipt = await client.getTransactionReceipt({ hash });
  expect(receipt.contractAddress && getAddress(receipt.contractAddress)).toBe(verified);
});

test("wagmi's command line generates the ABI of a verified contract", async () => {
  const generated = await generate(scratch, {
    baseUrl: `${explorer.url}/api`,
    chainId: CHAIN_ID,
    apiKey: "key-of-nobody",
    contracts: [{ name: "Shown", address: verified }],
  });
  for (const name of FUNCTIONS) expect(generated).toContain(`name: '${name}'`);
});
