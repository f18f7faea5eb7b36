import { afterAll, beforeAll, expect, test } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { getProxy, listStaleProxies, saveProxy } from "../../../src/store/contracts/proxies.ts";
import { addressAt, blockHash, publish, wordAt } from "../../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const UPGRADED = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await publish(database.sql, { blocks: [{ number: 0 }, { number: 1 }, { number: 2 }] });
});

afterAll(() => database.drop());

/** An address's proxy target, as read at block 1. */
function found(address: Address, beacon: Address | null = null): Promise<void> {
  const detected = { kind: "", implementations: [addressAt(9)], conflicts: [], beacon };
  return saveProxy(database.sql, {
    address,
    ...detected,
    blockNumber: 1,
    blockHash: blockHash(1),
  });
}

function emit(address: Address, topic0: Hex, logIndex: number): Promise<void> {
  return publish(database.sql, { logs: [{ blockNumber: 2, logIndex, address, topic0 }] });
}

test("what was found stands until the proxy or its beacon tells of a change", async () => {
  const [quiet, changed, beacon, ofBeacon] = [1, 2, 3, 4].map((n) => addressAt(n));
  for (const address of [quiet, changed]) await found(address as Address);
  await found(ofBeacon as Address, beacon);
  await emit(quiet as Address, wordAt(1), 0);
  expect(await listStaleProxies(database.sql, 10, [])).toEqual([]);
  await emit(changed as Address, UPGRADED, 10);
  await emit(beacon as Address, UPGRADED, 20);
  expect(await listStaleProxies(database.sql, 10, [])).toEqual([changed, ofBeacon]);
  expect(await listStaleProxies(database.sql, 10, [changed as Address])).toEqual([ofBeacon]);
  expect(await getProxy(database.sql, changed as Address)).toBeUndefined();
  expect(await getProxy(database.sql, quiet as Address)).toBeDefined();
});

test("what was found falls with a later creation at the address", async () => {
  const [made, kept] = [addressAt(21), addressAt(22)];
  await found(made);
  await found(kept);
  const creation = { transactionIndex: 0, position: 0, creator: addressAt(1), codeHash: null };
  await publish(database.sql, {
    contracts: [
      { address: kept, blockNumber: 1, ...creation },
      { address: made, blockNumber: 2, ...creation },
    ],
  });
  expect(await getProxy(database.sql, made)).toBeUndefined();
  expect(await listStaleProxies(database.sql, 10, [])).toContain(made);
  expect(await getProxy(database.sql, kept)).toBeDefined();
});
