import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, publish } from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";
import { save } from "../../../../support/verified-contract.ts";

const PEARL = addressAt(1);
const OLDER = addressAt(9);
const NECKLACE = addressAt(2);
const CONTRACT = addressAt(3);
const BOTH = addressAt(4);
const HOSTILE = addressAt(5);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    tokens: [
      { address: PEARL, name: "Pearl", symbol: "PRL", firstBlock: 1 },
      { address: OLDER, name: "PEARL", symbol: "PRL" },
      { address: NECKLACE, name: "Pearl Necklace", symbol: "pearls", standard: 721 },
      { address: BOTH, name: "Shell", symbol: "SHL" },
      { address: HOSTILE, name: `50%_\\'${"w".repeat(65_000)}`, symbol: null },
      { address: addressAt(6), name: null, symbol: "" },
    ],
  });
  await save(server.sql, { address: CONTRACT, contractName: "PearlMarket" });
  await save(server.sql, { address: BOTH, contractName: "PearlShell" });
});
afterAll(() => server.close());

recordedCases(() => server.app, "contract", {
  listbyname: {
    "tokens and contracts": "name=pEARL",
    paged: "name=pearl&page=2&offset=2",
    "none of it": "name=market",
    "no name": "",
    "blank name": "name=%20",
    "name that no database has": "name=a%00b",
    window: "name=pearl&page=101&offset=100",
  },
});

async function found(name: string, paging = ""): Promise<string[]> {
  const query = `module=contract&action=listbyname&name=${encodeURIComponent(name)}${paging}`;
  const { result } = await ask(server.app, query);
  return result.map(({ address }: { address: string }) => address);
}

test("whole names come first, then the oldest token, and nothing twice", async () => {
  expect(await found("pearl")).toEqual([OLDER, PEARL, NECKLACE, CONTRACT, BOTH]);
  expect(await found("prl")).toEqual([OLDER, PEARL]);
  expect(await found("sh")).toEqual([BOTH]);
});

test("pages neither lose nor double anything", async () => {
  const pages = [];
  for (let page = 1; page <= 6; page++) pages.push(await found("pearl", `&page=${page}&offset=1`));
  expect(pages.flat()).toEqual(await found("pearl"));
});

test("a name is no pattern, and only its beginning counts", async () => {
  expect(await found("%")).toEqual([]);
  expect(await found("50%_")).toEqual([HOSTILE]);
  expect(await found("50%_\\'w")).toEqual([HOSTILE]);
  expect(await found("50%x")).toEqual([]);
  expect(await found(`50%_\\'${"w".repeat(999)}`)).toEqual([HOSTILE]);
});
