import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { addressAt, publish, transactionHash } from "../../../../support/build.ts";

// Ethermint chains list a transaction that failed for want of block gas again in a later block, under the same hash.

const SENDER = addressAt(1);
const RECEIVER = addressAt(2);
const TOKEN = addressAt(3);

/** Statuses in the blocks 1 and 2, and the block that is served by hash. */
const CASES: [number | null, number | null, number][] = [
  [0, 1, 2],
  [1, 0, 1],
  [0, 0, 2],
  [1, 1, 2],
  [null, null, 2],
];
const hashOf = (index: number) => transactionHash(9, index);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  const of = (blockNumber: 1 | 2) =>
    CASES.map((statuses, transactionIndex) => ({
      blockNumber,
      transactionIndex,
      hash: hashOf(transactionIndex),
      fromAddress: SENDER,
      toAddress: RECEIVER,
      status: statuses[blockNumber - 1] as number | null,
    }));
  const places = [...of(1), ...of(2)];
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }, { number: 2 }],
    transactions: places,
    logs: places.map(({ blockNumber, transactionIndex }) => ({
      blockNumber,
      transactionIndex,
      logIndex: transactionIndex,
      address: TOKEN,
      data: `0x0${blockNumber}`,
    })),
    internalTransactions: places.map(({ blockNumber, transactionIndex }) => ({
      blockNumber,
      transactionIndex,
      position: 1,
      value: BigInt(blockNumber),
    })),
    tokenTransfers: places.map(({ blockNumber, transactionIndex }) => ({
      blockNumber,
      transactionIndex,
      logIndex: transactionIndex,
      token: TOKEN,
      amount: BigInt(blockNumber),
    })),
  });
});
afterAll(() => server.close());

async function api(query: string) {
  return (await server.app.inject(`/v2/api?chainid=31337&${query}`)).json().result;
}

async function rpc(method: string, hash: Hex) {
  const payload = { jsonrpc: "2.0", id: 1, method, params: [hash] };
  return (await server.app.inject({ method: "POST", url: "/api/eth-rpc", payload })).json().result;
}

describe.each(CASES)("statuses %s and %s under one hash", (first, second, served) => {
  const index = CASES.findIndex((one) => one[0] === first && one[1] === second);
  const hash = hashOf(index);
  const status = served === 1 ? first : second;

  test(`block ${served} is served by hash, in all answers`, async () => {
    const block = `0x${served}`;
    expect(await api(`module=transaction&action=gettxinfo&txhash=${hash}`)).toMatchObject({
      blockNumber: String(served),
      logs: [{ data: `0x0${served}` }],
    });
    expect(await api(`module=transaction&action=gettxreceiptstatus&txhash=${hash}`)).toEqual({
      status: status === null ? "" : String(status),
    });
    expect(await rpc("eth_getTransactionByHash", hash)).toMatchObject({ blockNumber: block });
    expect(await rpc("eth_getTransactionReceipt", hash)).toMatchObject({
      blockNumber: block,
      logs: [{ data: `0x0${served}` }],
    });
    expect(await api(`module=account&action=txlistinternal&txhash=${hash}`)).toMatchObject([
      { blockNumber: String(served), value: String(served) },
    ]);
    expect(await api(`module=transaction&action=listtransfers&txhash=${hash}`)).toMatchObject([
      { value: String(served) },
    ]);
  });
});

test("lists of an address show both", async () => {
  const list: { hash: Hex }[] = await api(`module=account&action=txlist&address=${SENDER}`);
  expect(list).toHaveLength(2 * CASES.length);
});
