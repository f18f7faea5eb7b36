import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ZERO_ADDRESS } from "../../../../../src/core/evm/address.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, GWEI, publish, setSyncState } from "../../../../support/build.ts";
import { expectGolden } from "../../../../support/golden.ts";

const PEARL = addressAt(0x70);
const BARE = addressAt(0x71);
const COIN = 10n ** 18n;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ staticReward: COIN });
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    addresses: [
      { address: addressAt(1), balance: String(1_000_000_000n * COIN) },
      { address: ZERO_ADDRESS, balance: String(3n * COIN) },
    ],
    tokens: [
      { address: PEARL, decimals: 9, totalSupply: "110052089716627912499" },
      { address: BARE, decimals: null, totalSupply: null },
    ],
    dailyStatistics: [
      { day: "2025-06-30", blockCount: 1 },
      {
        day: "2025-07-01",
        blockCount: 3,
        firstTimestamp: 1_751_328_000,
        lastTimestamp: 1_751_328_025,
        transactionCount: 3,
        fees: "84210033000000000",
        rewards: "4210033000000000",
        burntFees: "80000000000000000",
        gasUsed: "1234567",
        gasLimit: "90000001",
        blockBytes: "1801",
        gasPriceMinimum: String(GWEI),
        gasPriceMaximum: String(5n * GWEI),
        gasPriceSum: String(8n * GWEI),
        withdrawnGwei: "17204411",
        newAddresses: 5,
      },
      { day: "2025-07-04", burntFees: "1", withdrawnGwei: "1" },
    ],
    coinSupply: String(1_000_000_003n * COIN + 4n * 10n ** 17n),
  });
});
afterAll(() => server.close());

const DAYS = "startdate=2025-07-01&enddate=2025-07-03";
/** Refused alike by all series. */
const BAD_DAYS = {
  nothing: "",
  "no startdate": "enddate=2025-07-01",
  "no enddate": "startdate=2025-07-01",
  "bad startdate": "startdate=2025-02-30&enddate=x",
  "bad enddate": "startdate=2025-07-01&enddate=2025-7-1",
  "no days": "startdate=2020-01-01&enddate=2020-01-02",
};

const CASES: Record<string, Record<string, string>> = {
  tokensupply: {
    known: `contractaddress=${PEARL}`,
    "mixed case": `contractaddress=0x${PEARL.slice(2).toUpperCase()}`,
    "a token without a supply": `contractaddress=${BARE}`,
    "not a token": `contractaddress=${addressAt(1)}`,
    "no contractaddress": "",
    "empty contractaddress": "contractaddress=",
    "contractaddress without a prefix": `contractaddress=${PEARL.slice(2)}`,
    "cmc not true": `contractaddress=${PEARL}&cmc=TRUE`,
    "cmc and no contractaddress": "cmc=true",
  },
  tokensupplyhistory: {
    nothing: "",
    "no blockno": `contractaddress=${PEARL}`,
    "bad contractaddress and bad blockno": "contractaddress=0x1&blockno=x",
    "bad blockno": `contractaddress=${PEARL}&blockno=latest`,
    "above the head": `contractaddress=${PEARL}&blockno=2`,
    "not a token": `contractaddress=${addressAt(1)}&blockno=1`,
  },
  ethsupply: { known: "" },
  ethsupply2: { known: "" },
  ethsupplyexchange: { known: "" },
  coinsupply: { known: "" },
  totalfees: {
    known: "date=2025-07-01",
    "a day without transactions": "date=2025-06-30",
    "a day without blocks": "date=2025-07-02",
    "the year 0": "date=0000-01-01",
    "no date": "",
    "empty date": "date=",
    slashes: "date=2026/01/01",
    "one digit": "date=2026-1-1",
    "no day of the calendar": "date=2026-02-30",
  },
  dailytx: {
    known: DAYS,
    descending: "startdate=2025-06-30&enddate=2025-07-04&sort=desc",
    "bad sort": "startdate=2025-06-30&enddate=2025-07-04&sort=DESC",
    "no days": "startdate=2024-01-01&enddate=2024-01-02",
    "end before start": "startdate=2025-07-03&enddate=2025-07-01",
    "all years": "startdate=0000-01-01&enddate=9999-12-31",
    nothing: "",
    "no enddate": "startdate=2025-07-01",
    "bad dates": "startdate=1&enddate=2",
    "bad enddate": "startdate=2025-07-01&enddate=2025-02-29",
  },
  dailynewaddress: { known: DAYS, ...BAD_DAYS },
  dailytxnfee: { known: DAYS, ...BAD_DAYS },
  dailygasused: { known: DAYS, ...BAD_DAYS },
  dailyavggaslimit: { known: DAYS, ...BAD_DAYS },
  dailyavggasprice: {
    known: DAYS,
    ...BAD_DAYS,
    "a day without transactions": "startdate=2025-06-30&enddate=2025-06-30",
  },
  dailynetutilization: { known: DAYS, ...BAD_DAYS },
  dailyavgblocksize: { known: DAYS, ...BAD_DAYS },
  dailyavgblocktime: {
    known: DAYS,
    ...BAD_DAYS,
    "a day of one block": "startdate=2025-06-30&enddate=2025-06-30",
  },
  dailyblkcount: { known: DAYS, ...BAD_DAYS },
  dailyblockrewards: { known: DAYS, ...BAD_DAYS },
  dailyuncleblkcount: { known: DAYS, ...BAD_DAYS },
  chainsize: { "is not offered": "" },
};

describe.each(Object.entries(CASES))("%s", (action, cases) => {
  test.each(Object.entries(cases))("answers as recorded: %s", async (name, query) => {
    const file = name.replaceAll(/\W+/g, "-");
    const request = `module=stats&action=${action}${query && `&${query}`}`;
    await expectGolden(server.app, `stats/${action}/${file}.blockscout`, `/api?${request}`);
    await expectGolden(server.app, `stats/${action}/${file}.etherscan`, `/v2/api?${request}`);
  });
});

describe("tokensupply as plain text", () => {
  test.each([
    ["rounds half up to nine places", 12, "1234567890123456499999", "1234567890.123456500"],
    ["keeps nine places of a whole number", 0, "1234567890", "1234567890.000000000"],
    ["fills short fractions", 6, "1234567890", "1234.567890000"],
    ["takes no decimals for 0", null, "7", "7.000000000"],
    ["has nothing to show without a supply", 18, null, "0.000000000"],
  ])("%s", async (_what, decimals, totalSupply, text) => {
    await server.sql`
      UPDATE tokens SET decimals = ${decimals}, total_supply = ${totalSupply} WHERE address = ${BARE}`;
    const response = await server.app.inject(
      `/api?module=stats&action=tokensupply&contractaddress=${BARE}&cmc=true`,
    );
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(response.body).toBe(text);
  });
});

describe("the coin supply is not known", () => {
  const known = String(1_000_000_003n * COIN + 4n * 10n ** 17n);
  const supplies = () =>
    Promise.all(
      ["ethsupply", "coinsupply", "ethsupply2"].map((action) =>
        ask(server.app, `module=stats&action=${action}`),
      ),
    );

  test("while a balance is still to be read", async () => {
    await server.sql`UPDATE addresses SET balance_block = NULL WHERE address = ${addressAt(1)}`;
    for (const answer of await supplies()) {
      expect(answer).toMatchObject({ httpStatus: 503, status: "0", result: null });
      expect(answer.message).toMatch(/^Balances are still being read/);
    }
    await server.sql`UPDATE addresses SET balance_block = 1 WHERE address = ${addressAt(1)}`;
    expect((await supplies()).map(({ status }) => status)).toEqual(["1", "1", "1"]);
    expect((await supplies())[0]?.result).toBe(known);
  });

  test("on a chain without traces", async () => {
    await setSyncState(server.sql, { traced: false });
    for (const answer of await supplies()) {
      expect(answer).toMatchObject({ httpStatus: 200, status: "0", result: null });
      expect(answer.message).toBe(
        "The coin supply is not known: without internal transactions, or with fees that no block names, balances change unseen",
      );
    }
    await setSyncState(server.sql, { traced: true });
  });
});

describe("without a price source", () => {
  test("Blockscout's dialect has null for every key", async () => {
    const eth = await server.app.inject("/api?module=stats&action=ethprice");
    expect(eth.body).toBe(
      '{"status":"1","message":"OK","result":{"ethbtc":null,"ethbtc_timestamp":null,"ethusd":null,"ethusd_timestamp":null}}',
    );
    const coin = await server.app.inject("/api?module=stats&action=coinprice");
    expect(coin.body).toBe(
      '{"status":"1","message":"OK","result":{"coin_btc":null,"coin_btc_timestamp":null,"coin_usd":null,"coin_usd_timestamp":null}}',
    );
  });

  test("Etherscan's dialect has a price of 0 at the present time", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2025-07-03T00:00:00Z") });
    const response = await server.app.inject("/v2/api?module=stats&action=ethprice");
    vi.useRealTimers();
    expect(response.json().result).toEqual({
      ethbtc: "0",
      ethbtc_timestamp: "1751500800",
      ethusd: "0",
      ethusd_timestamp: "1751500800",
    });
  });
});
