import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { type Hex, keccak256 } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleAddress } from "../../src/devnet/world.ts";
import { startBrowser } from "../support/browser.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { PATIENCE, visit } from "./visit.ts";

/** An account that the sample world does not use. */
const KEY = `0x${"5e".repeat(32)}` as const;

let folder: string;
let periscope: Periscope;
let browser: Browser;
let origin: string;
let chain: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-live-"));
  periscope = startPeriscope({ DATA_DIR: folder });
  const ready = await periscope.ready;
  origin = new URL(ready.api).origin;
  chain = ready.chain ?? "";
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await periscope.end();
  await rm(folder, { recursive: true, force: true });
});

async function rpc(method: string, params: readonly unknown[] = []): Promise<string> {
  const response = await fetch(chain, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: string; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

async function pay(receiver?: string, value = "0x1"): Promise<string> {
  const [from, other] = (await rpc("eth_accounts")) as unknown as string[];
  return rpc("eth_sendTransaction", [{ from, to: receiver ?? other, value }]);
}

/** Where the page shows a transaction among the newest. */
function newestOn(page: Page): (hash: string) => Locator {
  return (hash) => page.locator(`#transactions a[title="${hash}"]`);
}

/** Whether it appears within some seconds. */
function isSeen(place: Locator): Promise<boolean> {
  return place.waitFor({ timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

test("the newest transactions come and go with their blocks, through a reorganisation and a reset", async () => {
  await visit(browser, `${origin}/`, async ({ page }) => {
    const link = newestOn(page);
    const snapshot = await rpc("evm_snapshot");
    const lost = await pay();
    await link(lost).waitFor(PATIENCE);
    await rpc("evm_revert", [snapshot]);
    const kept = await pay();
    // The sender's next payment is the same transaction again, unless something else was mined in between.
    if (kept !== lost) await link(lost).waitFor({ ...PATIENCE, state: "detached" });
    await link(kept).waitFor(PATIENCE);
    await rpc("anvil_reset");
    await link(kept).waitFor({ ...PATIENCE, state: "detached" });
    // The sample world begins again: its transactions may push a payment off the page before it was drawn.
    await expect.poll(async () => isSeen(link(await pay())), PATIENCE).toBe(true);
  });
});

/** Signs a transaction of the account with a nonce behind its next one; it waits for the one between. */
async function signed(account: PrivateKeyAccount, nonce: number, value = 0n): Promise<Hex> {
  return account.signTransaction({
    chainId: Number(await rpc("eth_chainId")),
    nonce,
    gas: 21_000n,
    value,
    maxFeePerGas: 10n ** 12n + value,
    maxPriorityFeePerGas: 10n ** 9n + value,
    to: account.address,
  });
}

test("a transaction's page says that it waits, was dropped, was mined, was rolled back or was replaced", async () => {
  const account = privateKeyToAccount(KEY);
  await pay(account.address, "0xde0b6b3a7640000");
  const nonce = Number(await rpc("eth_getTransactionCount", [account.address, "latest"]));
  const [between, waiting, rival] = [
    await signed(account, nonce),
    await signed(account, nonce + 1),
    await signed(account, nonce + 1, 10n ** 12n),
  ];
  const hash = keccak256(waiting);
  const url = `${origin}/tx/${hash}`;
  const unknown = { expected: /404/ };
  await visit(
    browser,
    url,
    async ({ page }) => {
      const says = (text: string) => page.getByText(text, { exact: true }).waitFor(PATIENCE);
      await page.getByText("as soon as it is mined").waitFor(PATIENCE);
      await rpc("eth_sendRawTransaction", [waiting]);
      await says("Pending");
      await page.reload();
      await says("Pending");
      await rpc("anvil_removePoolTransactions", [account.address]);
      await says("Dropped");
      await rpc("eth_sendRawTransaction", [waiting]);
      await says("Pending");
      const snapshot = await rpc("evm_snapshot");
      await rpc("eth_sendRawTransaction", [between]);
      await says("Success");
      await rpc("evm_revert", [snapshot]);
      await rpc("anvil_removePoolTransactions", [account.address]);
      await pay();
      await says("Rolled back");
      await rpc("eth_sendRawTransaction", [between]);
      await rpc("eth_sendRawTransaction", [rival]);
      await says("Replaced");
      await page.locator(`main a[title="${keccak256(rival)}"]`).waitFor(PATIENCE);
    },
    unknown,
  );
  expect((await fetch(url, { headers: { accept: "text/html" } })).status).toBe(404);
});

test("a contract that is rolled back is no longer called verified or a contract", async () => {
  const contract = sampleAddress("Coin");
  await visit(
    browser,
    `${origin}/address/${contract}`,
    async ({ page }) => {
      const verified = page.getByText("Verified", { exact: true });
      await verified.waitFor(PATIENCE);
      await rpc("anvil_reset");
      await verified.waitFor({ ...PATIENCE, state: "detached" });
      // The sample world begins again, with the same contracts.
      await verified.waitFor(PATIENCE);
    },
    { expected: /404/ },
  );
});

test("a list follows the chain; who has scrolled into it is told how many rows are new", async () => {
  await visit(browser, `${origin}/txs`, async ({ page }) => {
    const row = (hash: string) => page.locator(`tbody a[title="${hash}"]`);
    await row(await pay()).waitFor(PATIENCE);
    await expect.poll(() => page.locator("tbody tr").count(), PATIENCE).toBe(25);
    await page.setViewportSize({ width: 1280, height: 300 });
    await page.evaluate("scrollTo(0, 500)");
    const before = await page.locator("tbody tr td:first-child").allTextContents();
    const hash = await pay();
    const notice = page.getByRole("button", { name: /^\d+ new$/ });
    await notice.waitFor(PATIENCE);
    expect(await page.locator("tbody tr td:first-child").allTextContents()).toEqual(before);
    // The notice counts a block that may not have this payment yet.
    await expect
      .poll(async () => {
        if (await notice.isVisible()) await notice.click();
        return row(hash).count();
      }, PATIENCE)
      .toBe(1);
  });
});

test("page and part stand in the address bar: a reload keeps them, and Back leads to the one before", async () => {
  await visit(browser, `${origin}/txs`, async ({ page }) => {
    const isPage = (number: number) =>
      page.getByText(`Page ${number}`, { exact: true }).waitFor(PATIENCE);
    await page.getByRole("button", { name: "Next" }).click();
    await isPage(2);
    expect(new URL(page.url()).search).toBe("?page=2");
    await page.reload();
    await isPage(2);
    await page.goBack();
    await isPage(1);
    await page.goto(`${origin}/token/${sampleAddress("Coin")}`);
    await page.getByRole("link", { name: "Holders" }).click();
    await page.getByRole("columnheader", { name: "Holder" }).waitFor(PATIENCE);
    await page.goBack();
    await page.getByRole("columnheader", { name: "Transaction" }).waitFor(PATIENCE);
  });
});

test("without the stream the page asks now and then", async () => {
  await visit(
    browser,
    `${origin}/`,
    async ({ page }) => {
      await page.route("**/events", (route) => route.fulfill({ status: 503, body: "{}" }));
      await page.reload();
      // Transactions sent while the sample world builds a block wait for the next one.
      const link = newestOn(page);
      await expect.poll(async () => isSeen(link(await pay())), PATIENCE).toBe(true);
    },
    { expected: /503/ },
  );
});
