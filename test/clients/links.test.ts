import { createPublicClient, defineChain, type Hex, http } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleAddress } from "../../src/devnet/world.ts";
import { type SampleWorld, startSampleWorld } from "../support/sample-world.ts";
import { follow } from "./links.ts";
import { createScratch, runProgram, type Scratch } from "./program.ts";
import { DEPLOYER } from "./served-chain.ts";

const CHAIN_ID = 31337;
const COIN = sampleAddress("Coin");
const TRANSACTION = expect.stringMatching(/^Transaction 0x/);
const ACCOUNT = expect.stringMatching(/^Address 0x/i);
const TOKEN = expect.stringMatching(/^Harbour Coin \(HARBOUR\)/);

let scratch: Scratch;
let world: SampleWorld;
let hash: Hex;
beforeAll(async () => {
  scratch = createScratch();
  world = await startSampleWorld(scratch.folder);
  const list = `${world.origin}/api?module=transaction&action=listtransactions&offset=1`;
  const { result } = (await (await fetch(list)).json()) as { result: [{ hash: Hex }] };
  hash = result[0].hash;
});
afterAll(async () => {
  await world?.end();
  scratch.remove();
});

test.each(["", "/", `/${CHAIN_ID}`, `/${CHAIN_ID}/`])(
  "MetaMask's links lead to pages, with the explorer's URL ending in %j",
  async (end) => {
    const url = `${world.origin}${end}`;
    const links = await runProgram(scratch, "etherscan-link.mjs", [url, hash, DEPLOYER, COIN]);
    expect(await follow(links)).toEqual([TRANSACTION, TRANSACTION, ACCOUNT, TOKEN, TOKEN]);
  },
);

test("links from the explorer of a chain of viem's lead to pages", async () => {
  const chain = defineChain({
    id: CHAIN_ID,
    name: "Sample",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [world.chain] } },
    blockExplorers: {
      default: { name: "Periscope", url: world.origin, apiUrl: `${world.origin}/api` },
    },
  });
  const client = createPublicClient({ chain, transport: http() });
  const { url } = client.chain.blockExplorers.default;
  const { blockNumber, blockHash, from } = await client.getTransactionReceipt({ hash });
  const links = [
    `${url}/tx/${hash}`,
    `${url}/address/${from}`,
    `${url}/block/${blockNumber}`,
    `${url}/block/${blockHash}`,
    `${url}/token/${COIN}`,
  ];
  const block = expect.stringMatching(new RegExp(`^Block ${blockNumber} `));
  expect(await follow(links)).toEqual([TRANSACTION, ACCOUNT, block, block, TOKEN]);
});
