import { afterAll, beforeAll, expect, test } from "vitest";
import { ZERO_ADDRESS } from "../../../../../src/core/evm/address.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, publish } from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";

const PEARL = addressAt(0x20);
const NEW = addressAt(0x21);
const BUOYS = addressAt(0x721);
const ALICE = addressAt(0xa11ce);
const BOB = addressAt(0xb0b);
const CONTRACT = addressAt(0xc0de);
const DESTROYED = addressAt(0xdead);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    transactions: [{ blockNumber: 1 }],
    contracts: [
      { blockNumber: 1, address: CONTRACT },
      { blockNumber: 1, address: DESTROYED },
    ],
    contractDestructions: [{ blockNumber: 1, address: DESTROYED }],
    addresses: [
      { address: ALICE },
      { address: BOB },
      { address: addressAt(0x2) },
      { address: DESTROYED },
    ],
    tokens: [
      { address: PEARL, holderCount: 5 },
      {
        address: NEW,
        name: null,
        symbol: null,
        decimals: null,
        metadataBlock: null,
        totalSupply: null,
      },
      {
        address: BUOYS,
        standard: 721,
        name: "Buoys",
        symbol: "BUOY",
        decimals: null,
        totalSupply: null,
      },
    ],
    tokenBalances: [
      { token: PEARL, owner: ALICE, amount: "1250000" },
      { token: PEARL, owner: BOB, amount: "884200100" },
      { token: PEARL, owner: CONTRACT, amount: "1250000" },
      { token: PEARL, owner: DESTROYED, amount: "1" },
      { token: PEARL, owner: addressAt(0x1), amount: "0" },
      { token: PEARL, owner: ZERO_ADDRESS, amount: "999999999999" },
      { token: PEARL, owner: addressAt(0x2), amount: "2000000" },
    ],
  });
});
afterAll(() => server.close());

const LISTED = { nothing: "", bad: "contractaddress=0x12", empty: "contractaddress=" };

recordedCases(() => server.app, "token", {
  getToken: {
    known: `contractaddress=${PEARL}`,
    "not read yet": `contractaddress=${NEW}`,
    "without decimals and supply": `contractaddress=${BUOYS}`,
    unknown: `contractaddress=${ALICE}`,
    ...LISTED,
  },
  getTokenHolders: {
    all: `contractaddress=${PEARL}`,
    paged: `contractaddress=${PEARL}&page=2&offset=2`,
    "past the end, and no window": `contractaddress=${PEARL}&page=101&offset=100`,
    "unknown token": `contractaddress=${ALICE}`,
    ...LISTED,
  },
  tokeninfo: { known: `contractaddress=${PEARL}`, unknown: `contractaddress=${ALICE}`, ...LISTED },
  tokenholderlist: {
    paged: `contractaddress=${PEARL}&page=1&offset=3`,
    unknown: `contractaddress=${ALICE}`,
    window: "page=101&offset=100",
    ...LISTED,
  },
  tokenholdercount: {
    known: `contractaddress=${PEARL}`,
    unknown: `contractaddress=${ALICE}`,
    ...LISTED,
  },
  topholders: {
    all: `contractaddress=${PEARL}&offset=99999`,
    two: `contractaddress=${PEARL}&offset=2`,
    unknown: `contractaddress=${ALICE}`,
    ...LISTED,
  },
  bridgedTokenList: { any: "" },
});

test("getTokenHolders lists ten when it is not told how many", async () => {
  const token = addressAt(0x99);
  await publish(server.sql, {
    tokens: [{ address: token }],
    tokenBalances: Array.from({ length: 12 }, (_, owner) => ({
      token,
      owner: addressAt(owner + 1),
      amount: "7",
    })),
  });
  const query = `module=token&action=getTokenHolders&contractaddress=${token}`;
  const { result } = await ask(server.app, query);
  // Equal amounts stand in descending order of their owners.
  expect(result.map(({ address }: { address: string }) => address)).toEqual(
    Array.from({ length: 10 }, (_, index) => addressAt(12 - index)),
  );
});
