import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test("the page of a transaction that is not mined yet shows it once it is", async () => {
  const account = privateKeyToAccount(KEY);
  await pay(account.address, "0xde0b6b3a7640000");
  const nonce = Number(await rpc("eth_getTransactionCount", [account.address, "latest"]));
  const signed = await account.signTransaction({
    chainId: Number(await rpc("eth_chainId")),
    nonce,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    to: account.address,
  });
  const hash = keccak256(signed);
  await visit(
    browser,
    `${origin}/tx/${hash}`,
    async ({ page }) => {
      await page.getByText("as soon as it is mined").waitFor(PATIENCE);
      await rpc("eth_sendRawTransaction", [signed]);
      await page.getByText("Success", { exact: true }).waitFor(PATIENCE);
    },
    { expected: /404/ },
  );
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
