import { afterAll, beforeAll } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { addressAt, blockTime, publish } from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";

const SENDER = addressAt(1);
const FACTORY = addressAt(0xfac);
const MADE = addressAt(0xade);
const UNPUBLISHED = addressAt(0xfff);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: [0, 1, 2, 3, 4].map((number) => ({ number })),
    transactions: [
      { blockNumber: 1, toAddress: null, createdContract: FACTORY, input: "0x60806040" },
      { blockNumber: 2, toAddress: FACTORY },
      { blockNumber: 3, fromAddress: addressAt(2), toAddress: FACTORY },
      { blockNumber: 4, toAddress: null, createdContract: UNPUBLISHED },
    ],
    internalTransactions: [
      {
        blockNumber: 1,
        position: 0,
        type: "create",
        fromAddress: SENDER,
        createdContract: FACTORY,
      },
      {
        blockNumber: 2,
        position: 1,
        type: "create2",
        fromAddress: FACTORY,
        createdContract: MADE,
        input: "0x01",
      },
      {
        blockNumber: 3,
        position: 4,
        type: "create2",
        fromAddress: FACTORY,
        createdContract: MADE,
        input: "0x02",
      },
    ],
    contracts: [
      { blockNumber: 1, address: FACTORY, creator: SENDER },
      { blockNumber: 2, address: MADE, creator: FACTORY, position: 1 },
      // Again, behind its destruction.
      { blockNumber: 3, address: MADE, creator: FACTORY, position: 4 },
      { blockNumber: 4, address: UNPUBLISHED },
    ],
    syncState: { headNumber: 3, headTimestamp: blockTime(3) },
  });
});
afterAll(() => server.close());

const addresses = (...list: string[]) => `contractaddresses=${list.join(",")}`;

recordedCases(() => server.app, "contract", {
  getcontractcreation: {
    "by a transaction": addresses(FACTORY),
    "by a contract, the newest time": addresses(MADE),
    "several, in the order asked for": addresses(MADE, "", " 0x12", FACTORY, SENDER, MADE),
    "no contract": addresses(SENDER),
    "above the head": addresses(UNPUBLISHED),
    "more than ten": addresses(...Array.from({ length: 11 }, () => FACTORY)),
    empty: addresses(),
    nothing: "",
  },
});
