import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/evm/hex.ts";
import { saveProxy } from "../../src/store/contracts/proxies.ts";
import { createTestApp, type TestApp } from "../support/app.ts";
import { startBrowser } from "../support/browser.ts";
import {
  addressAt,
  blockHash,
  blockTime,
  publish,
  transactionHash,
  wordAt,
} from "../support/build.ts";
import { bundledVerifier } from "../support/bundled-verifier.ts";
import { save } from "../support/verified-contract.ts";
import { DESKTOP, findings, PATIENCE, PHONE, visit } from "./visit.ts";

const HEAD = 60;
const FEW = 10;
const MANY = 10_000;
const LARGEST = 2n ** 256n - 1n;
const MARKUP = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const TURNED = "\u202egnp.exe \u2066isolated \u200f\u200b";
const LONG = "W".repeat(65_536);
const [MARKED, HUGE, ENDLESS, ODD] = [0x30, 0x31, 0x32, 0x33].map(addressAt) as [
  Hex,
  Hex,
  Hex,
  Hex,
];
const PROXY = addressAt(0x40);
const VERIFIED = addressAt(0x41);
const DIAMOND = addressAt(0x42);
const FACETS = [0x43, 0x44, 0x45].map(addressAt);
const USER = addressAt(5);

let server: TestApp;
let browser: Browser;
let origin: string;
beforeAll(async () => {
  server = await createTestApp({
    verifier: bundledVerifier,
    networkName: `${MARKUP}${TURNED}`,
    coinSymbol: `${TURNED}<b>`,
  });
  origin = await server.app.listen({ host: "127.0.0.1", port: 0 });
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 1 }, (_, number) => ({
      number,
      ...(number === 9 && {
        timestamp: 2 ** 52,
        gasUsed: LARGEST,
        gasLimit: 1n,
        baseFeePerGas: LARGEST,
      }),
    })),
    transactions: [
      { blockNumber: 2, fromAddress: USER, value: LARGEST, gasPrice: LARGEST },
      { blockNumber: 3, fromAddress: USER, toAddress: MARKED, input: `0x${"ab".repeat(120_000)}` },
      { blockNumber: 4, fromAddress: USER, toAddress: null, status: 0, error: `${MARKUP}${LONG}` },
      {
        blockNumber: 5,
        fromAddress: USER,
        toAddress: null,
        createdContract: VERIFIED,
        input: "0x60",
      },
      { blockNumber: 6, status: null },
      {
        blockNumber: 7,
        fromAddress: USER,
        toAddress: VERIFIED,
        input: `0xdeadbeef${"00".repeat(64)}`,
      },
      // A batch of a rollup, whose deposit minted a coin.
      {
        blockNumber: 8,
        fromAddress: USER,
        gasUsed: 1_000_000n,
        gasPrice: 10n ** 9n,
        l1Fee: 23_841n,
        extra: JSON.stringify({
          transaction: {
            mint: "0xde0b6b3a7640001",
            calls: [{ to: MARKED, value: "0x5", input: "0x" }, { to: null }],
          },
          receipt: { operatorFeeScalar: "0x3e8", operatorFeeConstant: "0x7" },
        }),
      },
    ],
    logs: Array.from({ length: 120 }, (_, logIndex) => ({
      blockNumber: 7,
      logIndex,
      address: VERIFIED,
      topic0: wordAt(logIndex),
      data: `0x${"ff".repeat(3000)}` as Hex,
    })),
    internalTransactions: Array.from({ length: 1500 }, (_, position) => ({
      blockNumber: 7,
      position: position + 1,
      traceAddress: Array.from({ length: Math.min(position + 1, 1024) }, () => 0),
      effective: position % 2 === 0,
      error: position % 2 === 0 ? null : `${MARKUP}${TURNED}`,
      value: LARGEST,
    })),
    tokens: [
      {
        address: MARKED,
        name: `${MARKUP}${TURNED}`,
        symbol: MARKUP,
        decimals: 18,
        totalSupply: "1",
      },
      {
        address: HUGE,
        name: LONG,
        symbol: LONG,
        decimals: 255,
        totalSupply: String(LARGEST),
        supplyBlock: 1,
        metadataBlock: 1,
      },
      { address: ENDLESS, name: "\u0001\u0002", symbol: "\u200b", decimals: null },
      { address: ODD, standard: 721, name: `${TURNED}א${"ש".repeat(300)}`, symbol: "=1+1" },
    ],
    tokenTransfers: [
      ...Array.from({ length: FEW }, (_, logIndex) => ({
        blockNumber: 3,
        logIndex,
        token: [MARKED, HUGE, ENDLESS][logIndex % 3] ?? MARKED,
        fromAddress: USER,
        amount: LARGEST,
      })),
      {
        blockNumber: 2,
        logIndex: 0,
        token: ODD,
        standard: 721 as const,
        tokenId: LARGEST,
        fromAddress: USER,
      },
    ],
    tokenBalances: Array.from({ length: 40 }, (_, index) => ({
      token: HUGE,
      owner: addressAt(0x1000 + index),
      amount: String(LARGEST),
      blockNumber: HEAD,
    })),
    withdrawals: Array.from({ length: 40 }, (_, withdrawalIndex) => ({
      blockNumber: 9,
      withdrawalIndex,
      address: USER,
      amount: withdrawalIndex === 0 ? 2n ** 64n - 1n : 32_000_000_000n,
    })),
    contracts: [
      { blockNumber: 5, address: VERIFIED },
      { blockNumber: 5, address: DIAMOND },
    ],
    addresses: [{ address: USER, balance: String(LARGEST), balanceBlock: HEAD }],
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
  await server.sql`
    INSERT INTO uncles (block_number, position, hash, number, timestamp, miner)
    VALUES (9, 0, ${blockHash(8)}, 8, ${blockTime(8)}, ${MARKED})`;
  await server.sql`UPDATE sync_state SET l1_fees = true, l1_fees_from = 0`;
  for (const table of ["token_transfers", "address_token_transfers"]) {
    await repeat(table);
  }
  await save(
    server.sql,
    {
      address: VERIFIED,
      blockNumber: HEAD,
      blockHash: blockHash(HEAD),
      contractName: `${MARKUP}${TURNED}`,
      abi: JSON.stringify([
        {
          type: "function",
          name: MARKUP,
          inputs: [{ name: TURNED, type: "uint256" }],
          outputs: [],
          stateMutability: "view",
        },
        {
          type: "function",
          name: "__proto__",
          inputs: [{ name: "a", type: "tuple", components: [] }],
          outputs: [],
          stateMutability: "pure",
        },
      ]),
    },
    [
      {
        path: `../../${MARKUP}.sol`,
        text: `contract ${TURNED} { string a = "${MARKUP}"; } // seems\rto be a comment\n// ${LONG}`,
      },
      { path: "__proto__", text: "</script><script>alert(3)</script>" },
      ...Array.from({ length: 60 }, (_, index) => ({
        path: `lib/${index}.sol`,
        text: `// ${index}`,
      })),
    ],
  );
  await saveProxy(server.sql, {
    address: PROXY,
    kind: "eip1967",
    implementations: [VERIFIED],
    conflicts: [],
    beacon: null,
    blockNumber: 1,
    blockHash: blockHash(1),
  });
  const getter = { type: "function", inputs: [], outputs: [], stateMutability: "view" };
  for (const [index, address] of [DIAMOND, ...FACETS.slice(0, 2)].entries()) {
    const sum = { ...getter, name: "sum", inputs: [{ name: "terms", type: "uint256[]" }] };
    const abi = JSON.stringify([
      { ...getter, name: `getter${index}` },
      ...(index === 0 ? [sum] : []),
    ]);
    const at = { blockNumber: HEAD, blockHash: blockHash(HEAD) };
    await save(server.sql, { address, contractName: `Facet${index}`, abi, ...at });
  }
  await saveProxy(server.sql, {
    address: DIAMOND,
    kind: "eip2535",
    implementations: FACETS,
    conflicts: [],
    beacon: null,
    blockNumber: HEAD,
    blockHash: blockHash(HEAD),
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.close();
});

/** Makes many of the few transfers of block 3. */
async function repeat(table: string): Promise<void> {
  const rows = await server.sql<{ name: string }[]>`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema AND table_name = ${table} ORDER BY ordinal_position`;
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => (name === "log_index" ? `log_index + round * ${FEW}` : name));
  await server.sql.unsafe(`
    INSERT INTO ${table} (${names.join(", ")})
    SELECT ${values.join(", ")}
    FROM ${table}, generate_series(1, ${MANY / FEW - 1}) AS round
    WHERE block_number = 3`);
}

const PATHS: Readonly<Record<string, string>> = {
  home: "/",
  blocks: "/blocks",
  transactions: "/txs",
  contracts: "/contracts",
  tokens: "/tokens",
  "block of the largest figures": "/block/9",
  "block of many transfers": "/block/3",
  "largest amounts": `/tx/${transactionHash(2)}`,
  "ten thousand transfers": `/tx/${transactionHash(3)}`,
  "failed creation": `/tx/${transactionHash(4)}`,
  "transaction of unknown outcome": `/tx/${transactionHash(6)}`,
  "deep calls and long logs": `/tx/${transactionHash(7)}`,
  account: `/address/${USER}`,
  "withdrawals to an account": `/address/${USER}#withdrawals`,
  "logs of a contract": `/address/${VERIFIED}#logs`,
  "transfers of an account": `/address/${USER}#transfers`,
  "approvals of an account": `/address/${USER}#approvals`,
  "NFT transfers of an account": `/address/${USER}#nft`,
  "names that begin with markup": `/search?q=${encodeURIComponent(MARKUP.slice(0, 3))}`,
  "names that are too long": "/search?q=wwww",
  "strange sources": `/address/${VERIFIED}#code`,
  "strange functions": `/address/${VERIFIED}#read`,
  proxy: `/address/${PROXY}`,
  "marked token": `/token/${MARKED}`,
  "huge token": `/token/${HUGE}#holders`,
  "token that cannot be seen": `/token/${ENDLESS}`,
  "token from right to left": `/token/${ODD}`,
};
/** There is no node here, as the pages report. */
const WITHOUT_NODE = /503|Failed to load resource/;

describe.each([
  ["light", DESKTOP],
  ["dark", PHONE],
] as const)("%s", (colorScheme, viewport) => {
  test.each(Object.entries(PATHS))(
    "nothing of a hostile chain runs, complains or breaks the page: %s",
    async (_name, url) => {
      await visit(
        browser,
        origin + url,
        async ({ page }) => {
          expect(await page.locator("main img, main script").count()).toBe(0);
          expect(await findings(page)).toEqual([]);
          const body = String(await page.evaluate("document.body.innerText"));
          expect(body).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|seems\sto be a comment/);
          expect(body.length).toBeLessThan(700_000);
        },
        { colorScheme, viewport, expected: WITHOUT_NODE },
      );
    },
  );
});

test("of ten thousand transfers the next page is a click away", async () => {
  await visit(
    browser,
    `${origin}/tx/${transactionHash(3)}`,
    async ({ page }) => {
      const transfers = page.locator("#transfers");
      expect(await transfers.locator("tbody tr").count()).toBe(25);
      await transfers.getByRole("button", { name: "Next" }).click();
      await transfers.getByText("Page 2").waitFor(PATIENCE);
      await transfers.locator("tbody tr").first().waitFor(PATIENCE);
    },
    { expected: WITHOUT_NODE },
  );
});

test("a block shows its withdrawals and uncles, an address the withdrawals to it", async () => {
  const largest = "18,446,744,073.70955161";
  await visit(
    browser,
    `${origin}/block/9`,
    async ({ page }) => {
      const withdrawals = page.locator("#withdrawals tbody tr");
      expect(await withdrawals.count()).toBe(40);
      expect(await withdrawals.first().textContent()).toContain(largest);
      const uncle = page.locator("#uncles tbody tr");
      expect(await uncle.locator("a").first().getAttribute("href")).toBe(`${origin}/block/8`);
      expect(await uncle.locator(`a[href="${origin}/address/${MARKED}"]`).count()).toBe(1);
    },
    { expected: WITHOUT_NODE },
  );
  await visit(
    browser,
    `${origin}/address/${USER}#withdrawals`,
    async ({ page }) => {
      expect(await page.locator("main tbody tr").count()).toBe(25);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText(largest).waitFor(PATIENCE);
    },
    { expected: WITHOUT_NODE },
  );
});

test("a rollup's fee is shown in its parts, with the mint of a deposit and the calls of a batch", async () => {
  await visit(
    browser,
    `${origin}/tx/${transactionHash(8)}`,
    async ({ page }) => {
      const fact = (name: string) =>
        page
          .locator("dt", { hasText: name })
          .locator("xpath=..")
          .locator(".amount")
          .allTextContents();
      // 10^15 of gas, 23,841 for the data on L1, 10^6 · 1000 / 10^6 + 7 for the operator.
      expect((await fact("Fee")).map((text) => text.split(" ")[0])).toEqual([
        "0.001000000000024848",
        "0.001",
        "0.000000000000023841",
        "0.000000000000001007",
      ]);
      expect((await fact("Minted"))[0]).toContain("1.000000000000000001");
      expect(await page.locator("#chain tbody tr").count()).toBe(2);
    },
    { expected: WITHOUT_NODE },
  );
});

test("a source shows the marks that turn its text, and is copied as it is", async () => {
  const options = { expected: WITHOUT_NODE, permissions: ["clipboard-read", "clipboard-write"] };
  await visit(
    browser,
    `${origin}/address/${VERIFIED}#code`,
    async ({ page }) => {
      const file = page.locator("#sources details", { hasText: "onerror" }).first();
      if ((await file.getAttribute("open")) === null) await file.locator("summary").click();
      await file.locator("code", { hasText: "contract ⟦U+202E⟧gnp" }).waitFor(PATIENCE);
      await file.getByRole("button", { name: "Copy file" }).click();
      await file.getByText("Copied").waitFor(PATIENCE);
      expect(await page.evaluate("navigator.clipboard.readText()")).toContain(`contract ${TURNED}`);
    },
    options,
  );
});

test("a diamond shows the functions of all its facets, and of each why it cannot be read", async () => {
  await visit(
    browser,
    `${origin}/address/${DIAMOND}#read`,
    async ({ page }) => {
      const functions = page.locator("#read form");
      const names = ["getter0", "sum", "getter1", "getter2"];
      await expect
        .poll(() => functions.locator(".signature").allTextContents(), PATIENCE)
        .toEqual(names);
      await functions.last().scrollIntoViewIfNeeded();
      await expect.poll(() => functions.locator(".problem").count(), PATIENCE).toBe(3);
      await page.locator("#read .empty", { hasText: "not verified" }).waitFor(PATIENCE);
      expect(await findings(page)).toEqual([]);
    },
    { expected: WITHOUT_NODE },
  );
});

test("numbers in a list of arguments reach the contract digit by digit", async () => {
  await visit(
    browser,
    `${origin}/address/${DIAMOND}#read`,
    async ({ page, asked }) => {
      const sum = page.locator("#read form", { hasText: "terms" });
      await sum.getByRole("textbox").fill(`[${LARGEST}, -1, "2"]`);
      await sum.getByRole("button", { name: "Read" }).click();
      await sum.locator(".problem").waitFor(PATIENCE);
      const sent = asked
        .map((url) => new URL(url).searchParams)
        .find((parameters) => parameters.get("function") === "sum(uint256[])");
      expect(JSON.parse(sent?.get("arguments") ?? "")).toEqual([[String(LARGEST), "-1", "2"]]);
    },
    { expected: WITHOUT_NODE },
  );
});

test("the newest logs of a contract come first", async () => {
  await visit(
    browser,
    `${origin}/address/${VERIFIED}#logs`,
    async ({ page }) => {
      const first = page.locator("main tbody tr").first();
      expect(await first.locator("code").first().getAttribute("title")).toBe(wordAt(119));
    },
    { expected: WITHOUT_NODE },
  );
});

test("a formula in a name is text in a file", async () => {
  await visit(
    browser,
    `${origin}/address/${USER}#nft`,
    async ({ page }) => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: /^CSV/ }).click();
      const { readFile } = await import("node:fs/promises");
      expect(await readFile(await (await download).path(), "utf8")).toContain(",'=1+1,");
    },
    { expected: WITHOUT_NODE },
  );
});
